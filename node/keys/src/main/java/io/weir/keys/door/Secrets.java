package io.weir.keys.door;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.SecretHash;
import io.weir.keys.record.KeyText;
import io.weir.keys.record.Secret;
import io.weir.keys.record.StoredRecord;
import io.weir.node.admin.Operators;
import io.weir.node.auth.Operator;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes keys. A request with an {@code Idempotency-Key} that is repeated gets the same key, though no secret is kept: it
 * is derived from the operator's token and a random salt in the record, HMAC-SHA-256 (RFC 2104).
 */
final class Secrets {
  private static final int SALT_BYTES = 16;
  private static final int MOST_CHARACTERS = 255;
  private static final int PROOF_CHARACTERS = 22;

  private final Operators operators;
  private final SecureRandom random = new SecureRandom();

  Secrets(Operators operators) {
    this.operators = operators;
  }

  String newId() {
    return KeyText.newId(random);
  }

  KeyText make(String id) {
    return KeyText.make(id, random);
  }

  Secret of(KeyText key) {
    return Secret.of(SecretHash.of(key.secret()));
  }

  /** The wish of a request to be answered alike when it is repeated. */
  Retry retry(
      HttpServerRequest request, Operator operator, JsonObject body, List<String> mistakes) {
    String asked = request.getHeader("Idempotency-Key");
    if (asked == null) {
      return new Retry("", "", "", Optional.empty());
    }
    if (asked.isEmpty() || asked.length() > MOST_CHARACTERS) {
      mistakes.add("Idempotency-Key: (expected: 1 to %d characters)".formatted(MOST_CHARACTERS));
    }
    byte[] salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    String name = hash(
        String.join("\n", operator.name(), operator.tenant().orElse(""), request.path(), asked));
    return new Retry(
        hash(name + body.encode()),
        Base64.getUrlEncoder().withoutPadding().encodeToString(salt),
        operators.token(request),
        Optional.of("k" + name));
  }

  private static String hash(String text) {
    return SecretHash.of(text).compact().substring(0, PROOF_CHARACTERS);
  }

  /**
   * How a repeated request is known.
   *
   * @param digest of the request; empty if it does not ask for it
   * @param salt a new one
   * @param token of the operator, in clear
   * @param id for a new key, the same each time
   */
  record Retry(String digest, String salt, String token, Optional<String> id) {
    boolean isAsked() {
      return !digest.isEmpty();
    }

    /** The proof that the record keeps. */
    String proof() {
      return isAsked() ? digest + " " + salt : "";
    }

    /** The salt of a record that the same request has made. */
    private Optional<String> saltOf(String proof) {
      return isAsked() && proof.startsWith(digest + " ")
          ? Optional.of(proof.substring(digest.length() + 1))
          : Optional.empty();
    }

    /** The key that the same request has made, if the record still has it. */
    Optional<KeyText> keyOf(StoredRecord entry, long nowMillis) {
      return saltOf(entry.retry())
          .map(ofSalt -> key(entry.name().id(), ofSalt))
          .filter(key -> entry.isOpenedBy(key.secret(), nowMillis));
    }

    KeyText key(String id, String ofSalt) {
      try {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(token.getBytes(UTF_8), "HmacSHA256"));
        return KeyText.of(id, mac.doFinal((digest + " " + id + " " + ofSalt).getBytes(UTF_8)));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every Java platform has HmacSHA256", e);
      }
    }

    @Override
    public String toString() {
      return "Retry"; // the token is left out
    }
  }
}
