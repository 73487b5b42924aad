package io.weir.jobs.work;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens that let the upstream post the result of one run of one job: the run and its signature, HMAC-SHA256 (RFC 2104)
 * with the service token that all nodes share. Safe for use by many threads.
 */
public final class JobTokens {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int MAX_DIGITS = 15;

  private final Optional<String> secret;

  /** @param secret if it is empty, there are no tokens */
  public JobTokens(Optional<String> secret) {
    this.secret = secret;
  }

  /** The token of a run; empty without a secret. */
  Optional<String> of(String operation, String id, long run) {
    return secret.map(key -> run + "." + signature(key, operation, id, run));
  }

  /** The run that a token is for; empty if the token is not valid for this job. */
  public OptionalLong run(String token, String operation, String id) {
    int dot = token.indexOf('.');
    boolean isRun = dot > 0
        && dot <= MAX_DIGITS
        && token.substring(0, dot).chars().allMatch(c -> c >= '0' && c <= '9');
    if (!isRun || secret.isEmpty()) {
      return OptionalLong.empty();
    }
    long run = Long.parseLong(token.substring(0, dot));
    byte[] expected = signature(secret.get(), operation, id, run).getBytes(UTF_8);
    boolean isRight = MessageDigest.isEqual(expected, token.substring(dot + 1).getBytes(UTF_8));
    return isRight ? OptionalLong.of(run) : OptionalLong.empty();
  }

  private static String signature(String key, String operation, String id, long run) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key.getBytes(UTF_8), ALGORITHM));
      byte[] text = "weir-job\n%s\n%s\n%d".formatted(operation, id, run).getBytes(UTF_8);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(text));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }
}
