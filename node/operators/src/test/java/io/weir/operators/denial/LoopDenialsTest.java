package io.weir.operators.denial;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.operators.top.LimitName;
import io.weir.operators.top.SubjectName;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What one key or tenant can take from the memory of denials. */
final class LoopDenialsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final DenialQuery ALL =
      new DenialQuery(Optional.empty(), Optional.empty(), Optional.empty(), false, 10_000);

  private final LoopDenials denials = new LoopDenials();
  private long now;

  private Optional<Denial> denied(String tenant, String key) {
    SubjectName who = new SubjectName(tenant, key);
    if (!denials.accepts(who, now)) {
      return Optional.empty();
    }
    Denial denial = new Denial(
        new Denial.Event(LoopDenials.newId(), now, Optional.empty()),
        new Denial.Asked(who, 1, Optional.empty()),
        new LimitName("free", "Ask", "requests"),
        new Denial.Answer("denied", List.of(), Duration.ofMillis(5), false),
        false,
        1);
    denials.add(denial);
    return Optional.of(denial);
  }

  private List<Denial> found(DenialQuery asked) {
    return denials.find(asked, now);
  }

  @Test
  void aDenialIsFoundByItsIdForAnHour() {
    Denial denial = denied("acme", "k1").orElseThrow();
    DenialQuery query = new DenialQuery(
        Optional.of(denial.event().id()), Optional.empty(), Optional.empty(), false, 1);

    assertThat(found(query)).containsExactly(denial);
    now = 3600 * SECOND;
    assertThat(found(query)).containsExactly(denial);
    now++;
    assertThat(found(query)).isEmpty();
  }

  @Test
  void aKeyThatIsDeniedOftenIsRememberedNowAndThen() {
    int remembered = 0;
    for (int i = 0; i < 25_000; i++) {
      now += SECOND / 1000;
      remembered += denied("acme", "flood").isPresent() ? 1 : 0;
    }

    assertThat(remembered).isEqualTo(3 * LoopDenials.MOST_OF_KEY_IN_TEN_SECONDS);
    assertThat(found(ALL)).hasSize(LoopDenials.MOST_OF_KEY);
  }

  @Test
  void aFloodOfOneKeyLeavesTheOthers() {
    Denial other = denied("acme", "k1").orElseThrow();
    for (int i = 0; i < 100_000; i++) {
      now += SECOND / 100;
      denied("acme", "flood");
    }

    assertThat(found(ALL)).contains(other);
  }

  @Test
  void inventedKeysOfATenantLeaveTheOtherTenants() {
    Denial other = denied("acme", "k1").orElseThrow();
    for (int i = 0; i < 100_000; i++) {
      denied("hostile", "user:" + i);
    }

    assertThat(found(ALL)).contains(other).hasSize(1 + LoopDenials.MOST_OF_TENANT);
  }

  @Test
  void noDenialOfTheLastTenSecondsIsPushedOut() {
    Denial first = denied("t0", "k1").orElseThrow();
    int remembered = 0;
    for (int i = 0; i < 10_000; i++) {
      remembered += denied("t" + i % 8, "k" + i).isPresent() ? 1 : 0;
    }

    assertThat(remembered).isEqualTo(LoopDenials.MOST - 1);
    assertThat(found(ALL)).contains(first);
    now += 10 * SECOND - 1;
    assertThat(denied("t0", "k2")).isEmpty();
    now++;
    assertThat(denied("t0", "k2")).isPresent();
    assertThat(found(ALL)).doesNotContain(first);
  }

  @Test
  void aQuietTenantIsRememberedBesideTenantsThatFillTheMemory() {
    for (int i = 0; i < 20_000; i++) {
      denied("hostile-" + i % 5, "user:" + i);
    }

    Denial quiet = denied("acme", "k1").orElseThrow();

    assertThat(found(ALL)).hasSize(LoopDenials.MOST).contains(quiet);
    for (int i = 0; i < 20_000; i++) {
      denied("hostile-" + i % 5, "user:" + i);
    }
    assertThat(found(ALL)).contains(quiet);
  }

  @Test
  void allTogetherTakeABoundedNumberOfPlaces() {
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 50_000; i++) {
      now += SECOND / 100;
      ids.add(denied("t" + i % 1000, "k" + i).orElseThrow().event().id());
    }

    assertThat(ids).hasSize(50_000);
    List<Denial> kept = found(ALL);
    assertThat(kept).hasSize(LoopDenials.MOST);
    assertThat(kept.get(0).asked().who()).isEqualTo(new SubjectName("t999", "k49999"));
  }

  @Test
  void theBooksOfKeysAndTenantsEndWithTheirDenials() {
    for (int i = 0; i < 40; i++) {
      now += SECOND;
      assertThat(denied("acme", "k1")).isPresent();
    }
    now += 4000 * SECOND;

    assertThat(found(ALL)).isEmpty();
    for (int i = 0; i < LoopDenials.MOST_OF_KEY_IN_TEN_SECONDS; i++) {
      assertThat(denied("acme", "k1")).isPresent();
    }
    assertThat(denied("acme", "k1")).isEmpty();
  }

  @Test
  void onlyWhatIsAskedForIsFoundTheNewestFirst() {
    Denial first = denied("acme", "k1").orElseThrow();
    now++;
    denied("acme", "k2");
    Denial last = denied("other", "k1").orElseThrow();

    assertThat(found(
            new DenialQuery(Optional.empty(), Optional.of("acme"), Optional.of("k1"), false, 9)))
        .containsExactly(first);
    assertThat(
            found(new DenialQuery(Optional.empty(), Optional.empty(), Optional.of("k1"), false, 9)))
        .containsExactly(last, first);
    assertThat(
            found(new DenialQuery(Optional.empty(), Optional.empty(), Optional.empty(), false, 1)))
        .containsExactly(last);
  }
}
