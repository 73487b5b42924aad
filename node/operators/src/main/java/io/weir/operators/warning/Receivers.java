package io.weir.operators.warning;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the file that lists who may get webhooks: no other address gets any. */
final class Receivers {
  /** The file would be read whole. */
  private static final long MOST_BYTES = 64 << 10;

  private static final int MOST = 16;
  private static final int MOST_SECRETS = 2;
  private static final int LEAST_SECRET_BYTES = 24;
  private static final int MOST_SECRET_BYTES = 64;
  private static final String SECRET_BEGIN = "whsec_";
  private static final String SECRET_FORM =
      "whsec_ and %d to %d bytes as Base64".formatted(LEAST_SECRET_BYTES, MOST_SECRET_BYTES);

  private final List<String> problems = new ArrayList<>();

  private Receivers() {}

  /**
   * Reads the receivers of a file, by name.
   *
   * @throws UncheckedIOException if it cannot be read, or is wrong: with all its problems, and no secret
   */
  static Map<String, Receiver> read(Path file) {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new IOException("longer than %d bytes".formatted(MOST_BYTES));
      }
      Receivers reader = new Receivers();
      Map<String, Receiver> receivers = reader.of(JsonInput.object(Files.readString(file)));
      if (!reader.problems.isEmpty()) {
        throw new IOException(String.join("; ", reader.problems));
      }
      return receivers;
    } catch (IOException | DecodeException e) {
      throw new UncheckedIOException(
          "the receivers of webhooks %s: %s".formatted(file, e.getMessage()), new IOException(e));
    }
  }

  private Map<String, Receiver> of(JsonObject root) {
    requireKnown("", root, Set.of("receivers"));
    JsonObject listed = root.getValue("receivers") instanceof JsonObject object
        ? object
        : wrong("receivers", "names with their addresses and secrets");
    if (listed.size() > MOST) {
      problems.add("receivers: more than %d".formatted(MOST));
    }
    Map<String, Receiver> receivers = new HashMap<>();
    listed.forEach(one -> {
      String at = "receivers." + one.getKey();
      JsonObject json = one.getValue() instanceof JsonObject object
          ? object
          : wrong(at, "an object with url and secrets");
      requireKnown(at + ".", json, Set.of("url", "secrets"));
      URI url = url(at + ".url", json.getValue("url"));
      List<byte[]> secrets = secrets(at + ".secrets", json.getValue("secrets"));
      receivers.put(one.getKey(), new Receiver(one.getKey(), url, secrets));
    });
    return receivers;
  }

  private void requireKnown(String at, JsonObject json, Set<String> known) {
    json.fieldNames().stream()
        .filter(name -> !known.contains(name))
        .forEach(name -> problems.add("%s%s: no such field".formatted(at, name)));
  }

  private JsonObject wrong(String at, String expected) {
    problems.add("%s: expected %s".formatted(at, expected));
    return new JsonObject();
  }

  private URI url(String at, Object value) {
    try {
      URI url = new URI(String.valueOf(value));
      boolean isHttp = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
      if (isHttp && url.getHost() != null && url.getUserInfo() == null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // told below
    }
    problems.add(
        at + ": expected an address such as https://ops.example.com/weir, without a password");
    return URI.create("http://invalid");
  }

  private List<byte[]> secrets(String at, Object value) {
    List<byte[]> secrets = new ArrayList<>();
    JsonArray all = value instanceof JsonArray array ? array : new JsonArray();
    if (all.isEmpty() || all.size() > MOST_SECRETS) {
      problems.add("%s: expected one secret, or two while it is replaced".formatted(at));
    }
    for (int i = 0; i < all.size(); i++) {
      String text = String.valueOf(all.getValue(i));
      byte[] secret = text.startsWith(SECRET_BEGIN) ? decoded(text) : new byte[0];
      if (secret.length < LEAST_SECRET_BYTES || secret.length > MOST_SECRET_BYTES) {
        problems.add("%s[%d]: expected %s".formatted(at, i, SECRET_FORM));
      } else {
        secrets.add(secret);
      }
    }
    return secrets;
  }

  private static byte[] decoded(String text) {
    try {
      return Base64.getDecoder().decode(text.substring(SECRET_BEGIN.length()));
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }
}
