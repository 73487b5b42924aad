package io.weir.node.command;

import io.weir.node.config.Reports;
import io.weir.node.log.LogFormat;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options for what a node tells others of its own accord. */
final class ReportOption {
  @Spec(Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--denial-log",
      paramLabel = "FILE",
      description = "file for denials, a JSON object on each line (nowhere)")
  private @Nullable Path denialLog;

  @Option(
      names = "--webhooks",
      paramLabel = "FILE",
      description = "the receivers of the policy's warnings (none)")
  private @Nullable Path webhooks;

  @Option(
      names = "--traces",
      paramLabel = "URL",
      description =
          "where traces are sent, OTLP over HTTP, such as http://collector:4318/v1/traces "
              + "(nowhere)")
  private @Nullable String traces;

  @Option(
      names = "--trace-share",
      paramLabel = "SHARE",
      description = "share of the requests that are traced, 0 to 1 (${DEFAULT-VALUE})")
  private double traceShare = 0.01;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description = "text, or json for an object on each line (${DEFAULT-VALUE})")
  private String logFormat = "text";

  Reports reports() {
    return new Reports(given(denialLog), webhooks(), traces());
  }

  LogFormat logFormat() {
    return LogFormat.named(logFormat)
        .orElseThrow(() -> OptionValues.wrong(spec, "--log-format", logFormat, "text or json"));
  }

  private Optional<Path> webhooks() {
    Optional<Path> file = given(webhooks);
    file.filter(it -> !Files.isReadable(it)).ifPresent(it -> {
      throw OptionValues.wrong(spec, "--webhooks", it.toString(), "a file that can be read");
    });
    return file;
  }

  private Optional<Reports.Traces> traces() {
    if (!(traceShare >= 0 && traceShare <= 1)) {
      throw OptionValues.wrong(spec, "--trace-share", Double.toString(traceShare), "0 to 1");
    }
    return Optional.ofNullable(traces)
        .filter(text -> !text.isBlank())
        .map(text -> new Reports.Traces(address(text), traceShare));
  }

  private URI address(String text) {
    try {
      URI uri = URI.create(text.strip());
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean hasPath = uri.getPath() != null && uri.getPath().length() > 1;
      if (isHttp && uri.getHost() != null && uri.getUserInfo() == null && hasPath) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // told below
    }
    // The text is left out, since it may contain a password.
    throw new ParameterException(
        spec.commandLine(),
        "--traces: (expected: a URL such as http://collector:4318/v1/traces, without a password)");
  }

  private static Optional<Path> given(@Nullable Path file) {
    return Optional.ofNullable(file).filter(it -> !it.toString().isBlank());
  }
}
