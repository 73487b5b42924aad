package io.weir.keys.identity;

import java.util.Optional;
import java.util.stream.Stream;

/** The credentials that may identify a caller, in the order in which they are looked for. */
public enum Source {
  API_KEY("apiKey"),
  JWT("jwt"),
  HEADER("header"),
  CERTIFICATE("clientCertificate"),
  ANONYMOUS("anonymous");

  private final String word;

  Source(String word) {
    this.word = word;
  }

  static Optional<Source> of(String word) {
    return Stream.of(values()).filter(source -> source.word.equals(word)).findFirst();
  }
}
