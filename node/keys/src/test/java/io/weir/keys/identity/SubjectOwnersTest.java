package io.weir.keys.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.keys.identity.SubjectOwners.Owner;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SubjectOwnersTest {
  private static Owner owner(String tenant, String plan, long atMillis) {
    return new Owner(tenant, Optional.of(plan), atMillis);
  }

  @Test
  void theLastRequestOfEachTenantCountsWhereverItWas() {
    SubjectOwners here = SubjectOwners.of(owner("acme", "tiny", 5000));
    SubjectOwners there =
        SubjectOwners.of(owner("acme", "big", 9000)).with(SubjectOwners.of(owner("other", "x", 1)));
    assertThat(here.with(there)).isEqualTo(there.with(here));
    assertThat(here.with(there).owners())
        .containsExactly(owner("acme", "big", 9000), owner("other", "x", 1));
    assertThat(here.with(there).of(Optional.of("other"))).containsExactly(owner("other", "x", 1));
    assertThat(SubjectOwners.of(there.toJson())).isEqualTo(there);
  }

  @Test
  void aTimeWithinASecondIsNoNews() {
    SubjectOwners known = SubjectOwners.of(owner("acme", "tiny", 5000));
    assertThat(known.isNews(owner("acme", "tiny", 5999))).isFalse();
    assertThat(known.isNews(owner("acme", "tiny", 6000))).isTrue();
    assertThat(known.isNews(owner("acme", "big", 5001))).isTrue();
    assertThat(known.isNews(owner("other", "tiny", 5001))).isTrue();
  }

  @Test
  void aNameHasAFewTenantsAtMost() {
    SubjectOwners all = IntStream.range(0, 20)
        .mapToObj(i -> SubjectOwners.of(owner("t" + i, "tiny", i)))
        .reduce(SubjectOwners.NONE, SubjectOwners::with);
    assertThat(all.owners()).extracting(Owner::tenant).containsExactly("t19", "t18", "t17", "t16");
  }
}
