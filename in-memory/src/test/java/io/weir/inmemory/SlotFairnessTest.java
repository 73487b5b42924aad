package io.weir.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.bucket.Scope;
import io.weir.core.slot.SlotMode;
import io.weir.inmemory.Crowd.Caller;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that share a bucket of 100/s: one within its equal share waits little, whatever the others do. */
final class SlotFairnessTest {
  private static final String QUIET = "q";
  private static final String LOUD = "h";

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aQuietKeyDoesNotWaitForAHerdOfAnother(boolean tickets) {
    Crowd crowd = crowd(Scope.TENANT, 100);
    crowd.herd(3000, Crowd.polite(LOUD, tickets));
    crowd.poisson(2, 0, 30, Crowd.polite(QUIET, tickets));
    isFair(crowd, tickets);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void quietKeysDoNotWaitForAHerdOfAnother(boolean tickets) {
    Crowd crowd = crowd(Scope.TENANT, 100);
    crowd.herd(3000, Crowd.polite(LOUD, tickets));
    for (int i = 0; i < 20; i++) {
      crowd.poisson(2, 0, 40, Crowd.polite(QUIET + i, tickets));
    }
    isFair(crowd, tickets);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aQuietKeyDoesNotWaitForHerdsOfFiftyKeys(boolean tickets) {
    Crowd crowd = crowd(Scope.TENANT, 100);
    for (int i = 0; i < 50; i++) {
      crowd.herd(60, Crowd.polite(LOUD + i, tickets));
    }
    crowd.poisson(1.5, 0, 30, Crowd.polite(QUIET, tickets));
    isFair(crowd, tickets);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aQuietTenantDoesNotWaitForTheKeysOfAnother(boolean tickets) {
    Crowd crowd = crowd(Scope.CLUSTER, 100);
    for (int i = 0; i < 50; i++) {
      crowd.herd(60, Crowd.polite(LOUD + i, tickets).of("big"));
    }
    crowd.poisson(20, 0, 30, Crowd.polite(QUIET, tickets).of("small"));
    isFair(crowd, tickets);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keysNearTheirShareWaitLittleForAFloodOfAnother(boolean tickets) {
    Crowd crowd = crowd(Scope.TENANT, 100);
    crowd.poisson(300, 0, 20, Crowd.polite(LOUD, tickets));
    crowd.poisson(2, 0, 20, Crowd.polite(QUIET + 1, tickets));
    crowd.poisson(30, 0, 20, Crowd.polite(QUIET + 2, tickets));
    isFair(crowd, tickets);
  }

  @Test
  void nineKeysBelowTheirShareWaitLittleForAFloodOfTheTenth() {
    isFair(nineAndAFlood(true), true);
  }

  @Test
  void nineKeysWithoutTicketsWaitSomeSecondsForAFloodOfTheTenth() {
    Crowd crowd = nineAndAFlood(false).run(220);
    assertThat(crowd.waited(QUIET, 0.95)).isLessThanOrEqualTo(4.1);
    assertThat(crowd.used()).isGreaterThanOrEqualTo(0.82);
  }

  private static Crowd nineAndAFlood(boolean tickets) {
    Crowd crowd = crowd(Scope.TENANT, 100);
    for (int i = 0; i < 9; i++) {
      crowd.poisson(10, 0, 10, Crowd.polite(QUIET + i, tickets));
    }
    crowd.poisson(300, 5, 10, Crowd.polite(LOUD, tickets));
    return crowd;
  }

  @Test
  void tenEqualKeysWaitLittleLongerThanInOneQueue() {
    Crowd crowd = crowd(Scope.TENANT, 100);
    for (int i = 0; i < 10; i++) {
      crowd.poisson(13, 0, 20, Crowd.polite("e" + i, true));
    }
    crowd.run(220);
    // In one queue, the last of so many waits as long as what came before them takes.
    double oneQueue = 0.95 * (crowd.admissions.size() / 100.0 - 21);
    assertThat(crowd.waited("e", 0.95)).isLessThanOrEqualTo(1.3 * oneQueue);
    assertThat(crowd.used()).isGreaterThanOrEqualTo(0.94);
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 100})
  void aKeyThatNeverReturnsDoesNotKeepOthersWaiting(int perSecond) {
    for (boolean tickets : new boolean[] {true, false}) {
      Crowd crowd = crowd(Scope.TENANT, 10);
      crowd.poisson(perSecond, 0, 120, new Caller(LOUD, true, Crowd.NEVER));
      crowd.poisson(2, 5, 120, Crowd.polite(QUIET, tickets));
      isFair(crowd, tickets);
    }
  }

  private static Crowd crowd(Scope scope, long perSecond) {
    return new Crowd(scope, perSecond * 1000, 1000, SlotMode.RESERVE, 1);
  }

  private static void isFair(Crowd crowd, boolean tickets) {
    crowd.run(320);
    assertThat(crowd.waited(QUIET, 0.95)).isLessThanOrEqualTo(tickets ? 2 : 3.1);
    assertThat(crowd.waited(QUIET, 1)).isLessThanOrEqualTo(tickets ? 5 : 7.1);
    assertThat(crowd.used()).isGreaterThanOrEqualTo(tickets ? 0.95 : 0.85);
    assertThat(tickets ? crowd.brokenPromises : 0).isZero();
  }
}
