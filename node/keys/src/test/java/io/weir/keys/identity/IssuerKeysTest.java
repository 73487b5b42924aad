package io.weir.keys.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.weir.core.throttle.Failures;
import io.weir.node.answer.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When the keys of an issuer are read, and what its tokens get until then, by a clock that the test moves. */
final class IssuerKeysTest {
  private static final String FOUND = "found";
  private static final String NONE = "none";
  private static final String UNAVAILABLE = "503 jwks_unavailable";

  private final AtomicLong nanos = new AtomicLong(12_345);
  private final Queue<CompletableFuture<JWKSet>> readings = new ArrayDeque<>();
  private int begun;
  private final IssuerKeys keys = new IssuerKeys("https://idp.example", this::read, nanos::get);

  private CompletableFuture<JWKSet> read() {
    begun++;
    CompletableFuture<JWKSet> reading = new CompletableFuture<>();
    readings.add(reading);
    return reading;
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private CompletableFuture<List<JWK>> ask(String kid) {
    return keys.matching(new JWKSelector(new JWKMatcher.Builder().keyID(kid).build()));
  }

  private static String result(CompletableFuture<List<JWK>> asked) {
    assertThat(asked).isDone();
    try {
      return asked.join().isEmpty() ? NONE : FOUND;
    } catch (CompletionException e) {
      var problem = ((RefusedException) Failures.cause(e)).problem();
      assertThat(problem.waitMillis().orElseThrow()).isBetween(1L, 1000L);
      return problem.status() + " " + problem.code();
    }
  }

  private void isRead(String... kids) {
    readings
        .remove()
        .complete(new JWKSet(Stream.of(kids).map(IssuerKeysTest::key).toList()));
  }

  private void fails() {
    readings.remove().completeExceptionally(new IOException("status 500 (expected: 200)"));
  }

  private static JWK key(String kid) {
    try {
      return new ECKeyGenerator(Curve.P_256).keyID(kid).generate().toPublicJWK();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static IssuerKeysTest withKey(String kid) {
    IssuerKeysTest test = new IssuerKeysTest();
    var first = test.ask(kid);
    test.isRead(kid);
    assertThat(result(first)).isEqualTo(FOUND);
    return test;
  }

  @Test
  void allWhoNeedAReadingShareIt() {
    List<CompletableFuture<List<JWK>>> asked = new ArrayList<>();
    for (int i = 0; i < IssuerKeys.MOST_WAITING; i++) {
      asked.add(ask("one"));
    }
    assertThat(begun).isEqualTo(1);
    assertThat(result(ask("one"))).isEqualTo(UNAVAILABLE);
    isRead("one");
    asked.forEach(one -> assertThat(result(one)).isEqualTo(FOUND));
    assertThat(result(ask("one"))).isEqualTo(FOUND);
    assertThat(begun).isEqualTo(1);
  }

  @Test
  void anIssuerThatCannotBeReadIsAskedAgainAfterASecond() {
    var first = ask("one");
    fails();
    assertThat(result(first)).isEqualTo(UNAVAILABLE);
    assertThat(result(ask("one"))).isEqualTo(UNAVAILABLE);
    assertThat(begun).isEqualTo(1);
    pass(IssuerKeys.PAUSE_AFTER_FAILURE);
    var second = ask("one");
    isRead("one");
    assertThat(result(second)).isEqualTo(FOUND);
  }

  @Test
  void aNewKeyIsReadAtOnceAndInventedOnesEveryHalfMinute() {
    IssuerKeysTest issuer = withKey("one");
    var fresh = issuer.ask("two");
    issuer.isRead("one", "two");
    assertThat(result(fresh)).isEqualTo(FOUND);
    for (int i = 0; i < 20; i++) {
      assertThat(result(issuer.ask("invented" + i))).isEqualTo(NONE);
    }
    assertThat(issuer.begun).isEqualTo(2);
    issuer.pass(IssuerKeys.PAUSE);
    var invented = issuer.ask("invented");
    issuer.isRead("one", "two");
    assertThat(result(invented)).isEqualTo(NONE);
    assertThat(issuer.begun).isEqualTo(3);
  }

  @Test
  void aReadingThatFailsForANewKeyIsNoAnswerToIt() {
    IssuerKeysTest issuer = withKey("one");
    var fresh = issuer.ask("two");
    issuer.fails();
    assertThat(result(fresh)).isEqualTo(UNAVAILABLE);
    assertThat(result(issuer.ask("two"))).isEqualTo(UNAVAILABLE);
    assertThat(result(issuer.ask("one"))).isEqualTo(FOUND);
    issuer.pass(IssuerKeys.PAUSE_AFTER_FAILURE);
    var again = issuer.ask("two");
    issuer.isRead("one", "two");
    assertThat(result(again)).isEqualTo(FOUND);
  }

  @Test
  void oldKeysAreReadAgainAndAWithdrawnOneIsGone() {
    IssuerKeysTest issuer = withKey("one");
    issuer.pass(IssuerKeys.LAST);
    var old = issuer.ask("one");
    assertThat(old).isNotDone();
    issuer.isRead("two");
    assertThat(result(old)).isEqualTo(NONE);
  }

  @Test
  void theLastKeysServeInAnOutageAndNobodyWaits() {
    IssuerKeysTest issuer = withKey("one");
    issuer.pass(IssuerKeys.LAST);
    var first = issuer.ask("one");
    issuer.fails();
    assertThat(result(first)).isEqualTo(FOUND);
    issuer.pass(IssuerKeys.PAUSE_AFTER_FAILURE);
    assertThat(result(issuer.ask("one"))).isEqualTo(FOUND);
    assertThat(issuer.begun).isEqualTo(3); // in the background
    issuer.fails();
    issuer.pass(IssuerKeys.LAST_IN_OUTAGE);
    var late = issuer.ask("one");
    issuer.fails();
    assertThat(result(late)).isEqualTo(UNAVAILABLE);
  }

  @Test
  void aReadingThatThrowsIsAFailure() {
    IssuerKeys broken = new IssuerKeys(
        "https://idp.example",
        () -> {
          throw new IllegalArgumentException("an address without a host");
        },
        nanos::get);
    var asked = broken.matching(new JWKSelector(new JWKMatcher.Builder().build()));
    assertThat(result(asked)).isEqualTo(UNAVAILABLE);
    pass(Duration.ofSeconds(2));
    assertThat(result(broken.matching(new JWKSelector(new JWKMatcher.Builder().build()))))
        .isEqualTo(UNAVAILABLE);
  }
}
