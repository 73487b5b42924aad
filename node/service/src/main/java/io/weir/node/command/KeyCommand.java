package io.weir.node.command;

import io.weir.core.bucket.Names;
import io.weir.core.policy.SecretHash;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.Base64;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir key ID}: makes a key, and prints its entry for the policy. */
@Command(
    name = "key",
    description =
        "Makes an API key. The key is shown this once; only its hash goes into the policy.",
    versionProvider = WeirCommand.Version.class)
final class KeyCommand extends PrintingCommand {
  private static final int SECRET_BYTES = 24;

  @Parameters(paramLabel = "ID", description = "the key's public id, " + Names.ID_PATTERN)
  private String id = "";

  @Override
  public Integer call() {
    if (!Names.isId(id)) {
      throw wrong("'%s' (expected: %s)".formatted(id, Names.ID_PATTERN));
    }
    byte[] random = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(random);
    String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    PrintWriter out = out();
    out.printf("key:        %s.%s%n", id, secret);
    out.printf("secretHash: %s%n", SecretHash.of(secret).formatted());
    return 0;
  }
}
