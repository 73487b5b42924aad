package io.weir.node.config;

/** The ports of other protocols than HTTP with JSON, for services that show the service token. */
public enum ServicePort {
  /** The Redis protocol. */
  RESP("--resp-port"),
  /** Envoy's protocols, by gRPC. */
  ENVOY("--envoy-port");

  private final String option;

  ServicePort(String option) {
    this.option = option;
  }

  /** The option that opens it. */
  public String option() {
    return option;
  }
}
