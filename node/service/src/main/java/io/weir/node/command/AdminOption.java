package io.weir.node.command;

import io.weir.node.contexts.AdminAddress;
import io.weir.node.contexts.KnownNodes;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options of commands that ask the admin port of a node. */
public final class AdminOption {
  @Spec(Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--node",
      paramLabel = "URL",
      description =
          "the admin port of any node (WEIR_NODE, else that of the context in use, of the running local cluster, or "
              + "http://127.0.0.1:9080)")
  private @Nullable String node;

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "asks the cluster of this context, see weir context (WEIR_CONTEXT)")
  private @Nullable String context;

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      description =
          "instead of that of the context, or of the environment variable WEIR_ADMIN_TOKEN; better not as a flag")
  private @Nullable String adminToken;

  /**
   * The admin port.
   *
   * @param nodes has the one that is asked without options
   * @throws IOException if nothing answers, or the port is not an admin port
   */
  public AdminPort port(KnownNodes nodes) throws IOException {
    AdminAddress address = node != null ? AdminAddress.of(node) : known(nodes);
    URI uri = uri(address.node());
    return AdminPort.at(uri, sound(token(address, nodes)));
  }

  private AdminAddress known(KnownNodes nodes) {
    try {
      return nodes.address(Optional.ofNullable(context));
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
  }

  private URI uri(String text) {
    try {
      URI uri = new URI(text);
      if (Set.of("http", "https").contains(String.valueOf(uri.getScheme()))
          && uri.getHost() != null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      // told below
    }
    throw wrong("--node: %s (expected: http:// or https://, and a host)".formatted(text));
  }

  private Optional<String> token(AdminAddress address, KnownNodes nodes) throws IOException {
    if (adminToken != null && !adminToken.isBlank()) {
      return Optional.of(adminToken);
    }
    return address.tokenFile().isPresent()
        ? Optional.of(Files.readString(address.tokenFile().get()).strip())
        : nodes.adminToken(address);
  }

  private String sound(Optional<String> token) {
    if (token.isEmpty()) {
      throw wrong("no admin token (expected: WEIR_ADMIN_TOKEN in the environment)");
    }
    Tokens.problem("WEIR_ADMIN_TOKEN, --admin-token", token.get()).ifPresent(problem -> {
      throw wrong(problem);
    });
    return token.get();
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
