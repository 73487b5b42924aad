package io.weir.state.redis;

/** The contract, on Valkey 8. */
final class ContainerValkey8IT extends ContainerContract {
  ContainerValkey8IT() {
    super("valkey/valkey:8");
  }
}
