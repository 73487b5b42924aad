package io.weir.node.command;

import io.weir.policy.InvalidPolicyException;
import io.weir.policy.Policy;
import io.weir.policy.PolicyReading;
import io.weir.state.document.PolicyDocuments;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir policy}: looks at policies and puts them in force. */
@Command(
    name = "policy",
    description = "Checks policies and puts them in force.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {PolicyCommand.Check.class, PolicyCommand.Apply.class})
final class PolicyCommand {

  /** {@code weir policy check FILE}: reads a policy and tells every problem. */
  @Command(
      name = "check",
      description = "Reads a policy, tells every problem, and fails where it is refused.",
      mixinStandardHelpOptions = true,
      versionProvider = WeirCommand.Version.class)
  static final class Check implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "policy, YAML or JSON")
    private Path file = Path.of("");

    @Override
    public Integer call() throws IOException {
      PrintWriter out = spec.commandLine().getOut();
      try {
        PolicyReading reading = PolicyDocuments.read(file);
        reading.warnings().forEach(out::println);
        Policy policy = reading.policy();
        out.printf(
            "%s: sound; %d buckets, %d plans, %d subjects, %d warnings%n",
            file,
            policy.buckets().size(),
            policy.plans().size(),
            policy.subjects().size(),
            reading.warnings().size());
        return 0;
      } catch (InvalidPolicyException e) {
        e.problems().forEach(out::println);
        return 1;
      }
    }
  }

  /** {@code weir policy apply FILE}: puts a policy in force for the whole cluster. */
  @Command(
      name = "apply",
      description =
          "Puts a policy in force for all nodes, through any one of them. The admin token is "
              + "read from the environment variable WEIR_ADMIN_TOKEN.",
      mixinStandardHelpOptions = true,
      versionProvider = WeirCommand.Version.class)
  static final class Apply implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--node",
        paramLabel = "URL",
        defaultValue = "http://127.0.0.1:9081",
        description = "the admin port of any node (${DEFAULT-VALUE})")
    private URI node = URI.create("");

    @Option(
        names = "--admin-token",
        paramLabel = "TOKEN",
        defaultValue = "${env:WEIR_ADMIN_TOKEN}",
        description = "instead of the environment variable")
    private @Nullable String adminToken;

    @Parameters(paramLabel = "FILE", description = "policy, YAML or JSON")
    private Path file = Path.of("");

    @Override
    public Integer call() throws IOException, InterruptedException {
      HttpRequest request = HttpRequest.newBuilder(node.resolve("/v1/policy"))
          .timeout(TIMEOUT)
          .header("Authorization", "Bearer " + adminToken)
          .PUT(HttpRequest.BodyPublishers.ofString(PolicyDocuments.text(file)))
          .build();
      HttpResponse<String> response = sent(request);
      spec.commandLine().getOut().println(response.body());
      return response.statusCode() == 200 ? 0 : 1;
    }

    private HttpResponse<String> sent(HttpRequest request)
        throws IOException, InterruptedException {
      try {
        return HttpClient.newBuilder()
            .connectTimeout(TIMEOUT)
            .build()
            .send(request, HttpResponse.BodyHandlers.ofString());
      } catch (ConnectException e) {
        throw new IOException("no node answers at %s: connection refused".formatted(node), e);
      } catch (HttpTimeoutException e) {
        throw new IOException(
            "the node at %s did not answer within %d s".formatted(node, TIMEOUT.toSeconds()), e);
      }
    }
  }
}
