package io.weir.keys.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.keys.identity.SubjectOwners.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The names that are used most stay known. */
final class RememberedOwnersTest {
  private static final int MOST = 100;

  private final RememberedOwners owners = new RememberedOwners(MOST);

  private static Owner owner(String tenant, long atMillis) {
    return new Owner(tenant, Optional.empty(), atMillis);
  }

  private List<Owner> find(String name) {
    return owners.find(RememberedOwners.hash(name)).owners();
  }

  @Test
  void aNameIsFoundByItsHashWithItsOwners() {
    owners.add("user:1", owner("acme", 1));
    owners.add("user:1", owner("umbrella", 2));
    assertThat(find("user:1"))
        .extracting(Owner::tenant)
        .containsExactlyInAnyOrder("acme", "umbrella");
    assertThat(find("user:2")).isEmpty();
  }

  @Test
  void aFloodOfNamesForgetsNoBusyOne() {
    for (int i = 0; i < 50 * MOST; i++) {
      owners.add("busy", owner("acme", i));
      owners.add("invented:" + i, owner("acme", i));
    }
    assertThat(find("busy")).hasSize(1);
    await().atMost(Duration.ofMinutes(1)).until(() -> owners.size() <= MOST);
  }
}
