package io.weir.node.command;

import io.weir.node.config.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options of a node for TLS. */
final class TlsOption {
  @Spec(Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--tls-certificate",
      paramLabel = "FILE",
      description = "the certificate of the port for callers, PEM (none: the port is plain HTTP)")
  private @Nullable Path certificate;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "its private key, PEM (none)")
  private @Nullable Path key;

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE",
      description =
          "authorities whose certificates callers may show, PEM; see identity.clientCertificate (none)")
  private @Nullable Path clientCa;

  Optional<Tls> tls() {
    Optional<Path> ofCertificate = readable("--tls-certificate", certificate);
    Optional<Path> ofKey = readable("--tls-key", key);
    Optional<Path> ofClientCa = readable("--tls-client-ca", clientCa);
    if (ofCertificate.isPresent() != ofKey.isPresent()
        || (ofClientCa.isPresent() && ofKey.isEmpty())) {
      throw new ParameterException(
          spec.commandLine(),
          "--tls-certificate, --tls-key: one is missing (expected: both, also for --tls-client-ca)");
    }
    return ofCertificate.map(file -> new Tls(file, ofKey.orElseThrow(), ofClientCa));
  }

  private Optional<Path> readable(String option, @Nullable Path file) {
    Optional<Path> given = Optional.ofNullable(file).filter(it -> !it.toString().isBlank());
    given.filter(it -> !Files.isReadable(it)).ifPresent(it -> {
      throw new ParameterException(
          spec.commandLine(), "%s: %s (expected: a file that can be read)".formatted(option, it));
    });
    return given;
  }
}
