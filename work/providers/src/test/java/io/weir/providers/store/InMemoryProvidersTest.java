package io.weir.providers.store;

import io.weir.providers.rule.ProviderStore;
import io.weir.testkit.ManualClock;

/** The contract, in memory. */
final class InMemoryProvidersTest extends ProviderStoreContract {
  @Override
  ProviderStore emptyStore(ManualClock clock) {
    return new InMemoryProviders(clock);
  }
}
