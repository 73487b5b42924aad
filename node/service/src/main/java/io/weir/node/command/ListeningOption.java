package io.weir.node.command;

import static io.weir.node.command.OptionValues.MOST_PORT;
import static io.weir.node.command.OptionValues.inRange;

import io.weir.node.config.NodeConfig.Address;
import io.weir.node.config.NodeConfig.Listening;
import io.weir.node.config.ServicePort;
import io.weir.node.config.Tls;
import io.weir.node.intake.Cors;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options for where a node listens. */
final class ListeningOption {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "address to listen on (${DEFAULT-VALUE})")
  private String host = "0.0.0.0";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "port to listen on (${DEFAULT-VALUE})")
  private int port = 8080;

  @Option(
      names = "--admin-host",
      paramLabel = "ADDRESS",
      description = "address of the admin port (${DEFAULT-VALUE})")
  private String adminHost = "127.0.0.1";

  @Option(
      names = "--admin-port",
      paramLabel = "PORT",
      description =
          "port of its own for policy, health and metrics; 0 for the same port (${DEFAULT-VALUE})")
  private int adminPort = 9080;

  @Option(
      names = "--resp-port",
      paramLabel = "PORT",
      description =
          "port for clients of the Redis protocol, which show the service token; 0 for none (${DEFAULT-VALUE})")
  private int respPort = 0;

  @Option(
      names = "--envoy-port",
      paramLabel = "PORT",
      description =
          "port for Envoy's rate limit protocol, by gRPC with the service token; 0 for none (${DEFAULT-VALUE})")
  private int envoyPort = 0;

  @Option(
      names = "--cors-origins",
      paramLabel = "ORIGINS",
      description =
          "origins of web pages whose scripts may call the node, with commas between; * for any (none)")
  private String corsOrigins = "";

  /** @param hasServices whether services have a token */
  Listening listening(Optional<Tls> tls, boolean hasServices) {
    return new Listening(
        new Address(host, inRange(spec, "--port", port, 1, MOST_PORT)),
        port("--admin-port", adminHost, adminPort),
        services(hasServices),
        tls,
        origins());
  }

  private Map<ServicePort, Address> services(boolean hasServices) {
    Map<ServicePort, Address> given = new EnumMap<>(ServicePort.class);
    Map.of(ServicePort.RESP, respPort, ServicePort.ENVOY, envoyPort)
        .forEach((service, number) ->
            port(service.option(), host, number).ifPresent(address -> given.put(service, address)));
    if (!given.isEmpty() && !hasServices) {
      String option = given.keySet().iterator().next().option();
      throw new ParameterException(
          spec.commandLine(), option + ": without --service-token nobody could use it");
    }
    return given;
  }

  // 0 is for none of its own.
  private Optional<Address> port(String option, String onHost, int given) {
    int number = inRange(spec, option, given, 0, MOST_PORT);
    return number == 0 ? Optional.empty() : Optional.of(new Address(onHost, number));
  }

  private List<String> origins() {
    List<String> origins = Arrays.stream(corsOrigins.split(",", -1))
        .map(String::strip)
        .filter(origin -> !origin.isEmpty())
        .toList();
    for (String origin : origins) {
      if (!Cors.isOrigin(origin)) {
        throw OptionValues.wrong(
            spec, "--cors-origins", origin, "origins such as https://app.example.com, or *");
      }
    }
    return origins;
  }
}
