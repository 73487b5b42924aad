package io.weir.node.command;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options of commands that ask the admin port of a node. */
public final class AdminOption {
  private static final String DEFAULT_NODE = "http://127.0.0.1:9080";

  @Spec(Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--node",
      paramLabel = "URL",
      description = "the admin port of any node (that of the running local cluster, else "
          + DEFAULT_NODE + ")")
  private @Nullable URI node;

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      defaultValue = "${env:WEIR_ADMIN_TOKEN}",
      description = "instead of the environment variable WEIR_ADMIN_TOKEN; better not as a flag")
  private @Nullable String adminToken;

  /**
   * The admin port.
   *
   * @param localAdmin that of a cluster that runs on this machine
   * @throws IOException if nothing answers, or the port is not an admin port
   */
  public AdminPort port(Supplier<Optional<String>> localAdmin) throws IOException {
    String token = token();
    return AdminPort.at(node(localAdmin), token);
  }

  private URI node(Supplier<Optional<String>> localAdmin) {
    URI chosen = node != null ? node : URI.create(localAdmin.get().orElse(DEFAULT_NODE));
    if (!Set.of("http", "https").contains(String.valueOf(chosen.getScheme()))
        || chosen.getHost() == null) {
      throw wrong("--node: %s (expected: http:// or https://, and a host)".formatted(chosen));
    }
    return chosen;
  }

  private String token() {
    if (adminToken == null || adminToken.isBlank()) {
      throw wrong("no admin token (expected: WEIR_ADMIN_TOKEN in the environment)");
    }
    Tokens.problem("WEIR_ADMIN_TOKEN, --admin-token", adminToken).ifPresent(problem -> {
      throw wrong(problem);
    });
    return adminToken;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
