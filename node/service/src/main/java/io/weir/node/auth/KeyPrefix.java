package io.weir.node.auth;

import io.weir.node.answer.ProblemDetails;
import java.util.List;

/** The prefix of the keys that Weir makes, {@code weir_<id>.<secret>}: operators may take the begin of a key for its id. */
public final class KeyPrefix {
  public static final String TEXT = "weir_";

  private KeyPrefix() {}

  /** The refusal of an unknown name; if it begins like a key, with what is expected instead. The secret is not repeated. */
  public static ProblemDetails explained(ProblemDetails unknown, String name) {
    String id = name.startsWith(TEXT) ? name.substring(TEXT.length()).split("\\.", 2)[0] : "";
    return id.isEmpty()
        ? unknown
        : unknown.with(
            "errors",
            List.of(
                "key: the begin of a key (expected: its id, %s, without %s and without the secret)"
                    .formatted(id, TEXT)));
  }
}
