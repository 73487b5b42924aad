package io.weir.client.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.client.retry.RetryLaterException.Reason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** When a call is retried, when it is not, and the resulting answers. */
@SuppressWarnings("FutureReturnValueIgnored") // the results are checked later
final class RetryerTest {
  private static final double NEVER_REFUSED = Math.nextDown(1.0);

  private final ManualTime time = new ManualTime();
  private final RecordingListener listener = new RecordingListener();
  private double random = 0.5;

  @ParameterizedTest
  @CsvSource({
    // status, retried if repeatable, retried otherwise
    "200, false, false",
    "301, false, false",
    "400, false, false",
    "401, false, false",
    "404, false, false",
    "408, true,  false",
    "409, false, false",
    "425, false, false",
    "429, true,  true",
    "500, true,  false",
    "501, false, false",
    "502, true,  false",
    "503, true,  false",
    "504, true,  false",
    "505, false, false",
    "507, true,  false",
    "511, true,  false",
    "520, true,  false",
    "524, true,  false",
    "529, true,  false",
    "599, true,  false",
  })
  void aStatusIsWorthAnotherAttempt(int status, boolean ifRepeatable, boolean ifNot) {
    assertThat(isSentAgain(call(true).answers(status).answers(200))).isEqualTo(ifRepeatable);
    assertThat(isSentAgain(call(false).answers(status).answers(200))).isEqualTo(ifNot);
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new ConnectException("refused"), true, true),
        Arguments.of(new HttpConnectTimeoutException("slow"), true, true),
        Arguments.of(new UnknownHostException("nobody"), true, true),
        Arguments.of(new SocketException("reset"), true, false),
        Arguments.of(new HttpTimeoutException("slow"), true, false),
        Arguments.of(new IOException("EOF"), true, false),
        Arguments.of(new SSLHandshakeException("expired"), false, false),
        Arguments.of(new IllegalArgumentException("mistake"), false, false));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aFailureIsWorthAnotherAttempt(Throwable failure, boolean ifRepeatable, boolean ifNot) {
    assertThat(isSentAgain(call(true).fails(failure).answers(200))).isEqualTo(ifRepeatable);
    assertThat(isSentAgain(call(false).fails(failure).answers(200))).isEqualTo(ifNot);
  }

  @Test
  void upstreamsThatAreNotCalledAnyMoreMakeRoomForOthers() {
    List<String> forgotten = new ArrayList<>();
    Retryer retryer = Retryer.of(RetryOptions.DEFAULT, time, () -> random, new RetryListener() {
      @Override
      public void upstreamForgotten(String upstream) {
        forgotten.add(upstream);
      }
    });
    for (int i = 0; i < Retryer.MAX_UPSTREAMS + 2; i++) {
      ScriptedCall call = call(true).answers(200);
      call.upstream = "http://host-" + i;
      retryer.call(call);
      time.advance(Duration.ofMillis(1));
    }
    assertThat(forgotten).containsExactly("http://host-0", "http://host-1");
  }

  @Test
  void requestsThatWeirDidNotForwardAreSentAgainInAnyCase() {
    String status = "weir;error=proxy_internal_error;details=\"store_unavailable\"";
    assertThat(isSentAgain(call(false).answers(503, "Proxy-Status", status).answers(200)))
        .isTrue();
    assertThat(isSentAgain(
            call(false).answers(503, "Proxy-Status", "weird;error=x").answers(200)))
        .isFalse();
  }

  @Test
  void waitsThatNoAnswerNamesGrow() {
    ScriptedCall call = call(true).answersTimes(5, 500);
    CompletableFuture<String> answer = retryer(o -> {}).call(call);
    time.advance(Duration.ofSeconds(1));
    assertThat(call.sentMillis).containsExactly(0L, 50L, 125L, 237L, 405L);
    assertThat(answer).isCompletedWithValue("500");
    assertThat(listener.all)
        .containsExactly(
            "retrying 500 50",
            "retrying 500 75",
            "retrying 500 112",
            "retrying 500 168",
            "exhausted 500");
  }

  @Test
  void aWaitThatTheServerNamesIsKeptToTheMillisecond() {
    ScriptedCall call = call(true)
        .answers(429, "Retry-After", "1", "Retry-After-Ms", "230")
        .answers(503, "Retry-After", "2")
        .answers(200);
    random = NEVER_REFUSED;
    CompletableFuture<String> answer = retryer(o -> o.jitter(Jitter.around(1))).call(call);
    time.advance(Duration.ofNanos(230_000_000 - 1));
    assertThat(call.sentMillis).hasSize(1);
    time.advance(Duration.ofNanos(1));
    assertThat(call.sentMillis).hasSize(2);
    time.advance(Duration.ofSeconds(2));
    assertThat(call.sentMillis).containsExactly(0L, 230L, 2230L);
    assertThat(answer).isCompletedWithValue("200");
  }

  @Test
  void aPlaceIsKeptWithItsTicketAlsoWhenAnotherNodeFailsInBetween() {
    ScriptedCall call = call(true)
        .answers(429, "Retry-After-Ms", "100", "Retry-Ticket", "t1")
        .fails(new ConnectException("refused"))
        .answers(429, "Retry-After-Ms", "10", "Retry-Ticket", "t2")
        .answers(200);
    retryer(o -> {}).call(call);
    time.advance(Duration.ofSeconds(1));
    assertThat(call.shown)
        .containsExactly(Optional.empty(), Optional.of("t1"), Optional.of("t1"), Optional.of("t2"));
  }

  @Test
  void aWaitThatIsTooLongFailsAtOnceWithTheTime() {
    ScriptedCall call = call(true).answers(429, "Retry-After", "61");
    CompletableFuture<String> answer = retryer(o -> {}).call(call);
    RetryLaterException later = later(answer);
    assertThat(later.reason()).isEqualTo(Reason.WAIT_TOO_LONG);
    assertThat(later.retryAfter()).isEqualTo(Duration.ofSeconds(61));
    assertThat(later)
        .hasMessage(
            "GET http://upstream/x: 429; it may be tried again in 61000 ms, which is more than maxWait");
    assertThat(time.waits()).isZero();
    assertThat(listener.all).containsExactly("exhausted 429");
  }

  @Test
  void aWaitBeyondTheDeadlineFailsAtOnceWithTheTime() {
    ScriptedCall call =
        call(true).answers(429, "Retry-After-Ms", "700").answers(429, "Retry-After-Ms", "301");
    CompletableFuture<String> answer =
        retryer(o -> o.deadline(Duration.ofSeconds(1))).call(call);
    time.advance(Duration.ofMillis(700));
    RetryLaterException later = later(answer);
    assertThat(later.reason()).isEqualTo(Reason.PAST_DEADLINE);
    assertThat(later.retryAfter()).isEqualTo(Duration.ofMillis(301));
    time.advance(Duration.ofSeconds(2));
    assertThat(call.sentMillis).containsExactly(0L, 700L);
    assertThat(time.waits()).isZero();
  }

  @Test
  void theDeadlineAlsoEndsWhatIsUnderWay() {
    ScriptedCall call = call(true);
    CompletableFuture<String> inFlight = call.hangs();
    CompletableFuture<String> answer =
        retryer(o -> o.deadline(Duration.ofSeconds(1))).call(call);
    time.advance(Duration.ofSeconds(1));
    assertThat(answer.handle((value, error) -> error).join())
        .isInstanceOf(HttpTimeoutException.class)
        .hasMessage("GET http://upstream/x: no answer within PT1S");
    assertThat(inFlight).isCancelled();
  }

  @Test
  void cancellingStopsAWaitAndWhatIsUnderWay() {
    ScriptedCall waiting = call(true).answers(429, "Retry-After", "5");
    CompletableFuture<String> waits = retryer(o -> {}).call(waiting);
    assertThat(time.waits()).isOne();
    waits.cancel(true);
    assertThat(time.waits()).isZero();
    ScriptedCall sent = call(true);
    CompletableFuture<String> inFlight = sent.hangs();
    retryer(o -> {}).call(sent).cancel(true);
    assertThat(inFlight).isCancelled();
  }

  @Test
  void disabledNothingIsSentAgain() {
    ScriptedCall call = call(true).answers(429, "Retry-After", "5");
    assertThat(retryer(RetryOptions.Builder::disable).call(call)).isCompletedWithValue("429");
    assertThat(listener.all).isEmpty();
  }

  @Test
  void theBudgetPaysForAShareOfCallsAndWaitsThatTheServerNamesAreFree() {
    Retryer retryer = retryer(o -> o.attempts(2).budget(new BudgetOptions(0.1, 3)));
    List<ScriptedCall> calls =
        IntStream.range(0, 100).mapToObj(i -> call(true).answersTimes(2, 500)).toList();
    calls.forEach(retryer::call);
    time.advance(Duration.ofSeconds(1));
    assertThat(calls.stream().filter(call -> call.sentMillis.size() == 2).count())
        .isEqualTo(3 + 100 / 10 - 1); // the first tenth of a call finds it full
    ScriptedCall named = call(true).answers(429, "Retry-After", "1").answers(200);
    retryer.call(named);
    time.advance(Duration.ofSeconds(1));
    assertThat(named.sentMillis).hasSize(2);
  }

  @Test
  void theBreakerOpensAfterSoManyFailuresInARowAndOneCallTries() {
    Retryer retryer =
        retryer(o -> o.attempts(1).breaker(new BreakerOptions(3, Duration.ofSeconds(5))));
    send(retryer, 500, 404, 429, 503, 502, 429, 500);
    assertThat(listener.all).doesNotContain("breaker CLOSED OPEN"); // 404 was a success
    send(retryer, 500);
    assertThat(listener.all).contains("breaker CLOSED OPEN");
    time.advance(Duration.ofSeconds(2));
    RetryLaterException refused = later(retryer.call(call(true)));
    assertThat(refused.reason()).isEqualTo(Reason.BREAKER_OPEN);
    assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(3));
    time.advance(Duration.ofMillis(3001));
    ScriptedCall probe = call(true);
    CompletableFuture<String> inFlight = probe.hangs();
    retryer.call(probe);
    assertThat(later(retryer.call(call(true))).reason()).isEqualTo(Reason.BREAKER_OPEN);
    inFlight.completeExceptionally(new ConnectException("refused"));
    assertThat(listener.all).endsWith("breaker HALF_OPEN OPEN", "exhausted ConnectException");
    time.advance(Duration.ofMillis(5001));
    send(retryer, 200, 500, 200);
    assertThat(listener.all).contains("breaker HALF_OPEN CLOSED");
  }

  @Test
  void aProbeThatIsGivenUpLeavesItsPlaceToAnother() {
    Retryer retryer =
        retryer(o -> o.attempts(1).breaker(new BreakerOptions(1, Duration.ofSeconds(5))));
    send(retryer, 500);
    time.advance(Duration.ofMillis(5001));
    ScriptedCall probe = call(true);
    probe.hangs();
    retryer.call(probe).cancel(true);
    send(retryer, 429, 200);
    assertThat(listener.all).contains("breaker HALF_OPEN CLOSED");
  }

  @Test
  void aProbeThatHangsIsGivenUpAfterAMinute() {
    Retryer retryer =
        retryer(o -> o.attempts(1).breaker(new BreakerOptions(1, Duration.ofSeconds(5))));
    send(retryer, 500);
    time.advance(Duration.ofMillis(5001));
    ScriptedCall probe = call(true);
    CompletableFuture<String> inFlight = probe.hangs();
    retryer.call(probe);
    time.advance(Duration.ofSeconds(61));
    later(retryer.call(call(true)));
    time.advance(Duration.ofMillis(5001));
    send(retryer, 200);
    assertThat(listener.all)
        .endsWith("breaker HALF_OPEN OPEN", "breaker OPEN HALF_OPEN", "breaker HALF_OPEN CLOSED");
    inFlight.completeExceptionally(new ConnectException("refused"));
    assertThat(listener.all).doesNotContain("breaker CLOSED HALF_OPEN");
    send(retryer, 200);
  }

  @Test
  void requestsSentBeforeTheBreakerOpenedSayNothingOfThePresent() {
    Retryer retryer =
        retryer(o -> o.attempts(1).breaker(new BreakerOptions(1, Duration.ofSeconds(5))));
    ScriptedCall old = call(true);
    CompletableFuture<String> inFlight = old.hangs();
    CompletableFuture<String> oldAnswer = retryer.call(old);
    send(retryer, 500);
    time.advance(Duration.ofMillis(5001));
    ScriptedCall probe = call(true);
    probe.hangs();
    retryer.call(probe);
    inFlight.complete("late");
    assertThat(oldAnswer).isCompletedWithValue("late");
    assertThat(listener.all).doesNotContain("breaker HALF_OPEN CLOSED");
    assertThat(later(retryer.call(call(true))).reason()).isEqualTo(Reason.BREAKER_OPEN);
  }

  @Test
  void aCallWithoutHeadsThatSucceedsIsASuccess() {
    Retryer retryer =
        retryer(o -> o.attempts(1).breaker(new BreakerOptions(2, Duration.ofSeconds(5))));
    for (int i = 0; i < 5; i++) {
      send(retryer, 500);
      ScriptedCall silent = call(true);
      silent.hangs().complete("done");
      assertThat(retryer.call(silent)).isCompletedWithValue("done");
    }
    assertThat(listener.all).doesNotContain("breaker CLOSED OPEN");
  }

  @Test
  void whateverIsThrownACallEnds() {
    RetryListener broken = new RetryListener() {
      @Override
      public void retrying(String upstream, String reason, Duration wait) {
        throw new NoClassDefFoundError("of a library that is not there");
      }
    };
    Retryer retryer = Retryer.of(RetryOptions.DEFAULT, time, () -> 0.5, broken);
    CompletableFuture<String> answer = retryer.call(call(true).answers(500).answers(200));
    time.advance(Duration.ofSeconds(1));
    assertThat(answer).isCompletedWithValue("200");
    // A scripted call without answers throws.
    assertThat(retryer.call(call(true))).isCompletedExceptionally();
    CompletableFuture<String> second = retryer.call(call(true).answers(500));
    time.advance(Duration.ofSeconds(1));
    assertThat(second).isCompletedExceptionally();
  }

  @Test
  void requestsAboveTheLoadOfAnUpstreamAreRefusedHere() {
    Retryer retryer = retryer(o -> o.attempts(1).overload(2));
    send(retryer, 200, 200, 503, 503);
    random = 0; // refuses whenever there is any excess
    send(retryer, 503); // 4 asked, 2 accepted: within the factor
    RetryLaterException refused = later(retryer.call(call(true)));
    assertThat(refused.reason()).isEqualTo(Reason.UPSTREAM_OVERLOADED);
    time.advance(Duration.ofMinutes(2));
    send(retryer, 200); // all is forgotten
  }

  @Test
  void aListenerThatFailsChangesNothing() {
    RetryListener broken = new RetryListener() {
      @Override
      public void retrying(String upstream, String reason, Duration wait) {
        throw new IllegalStateException("broken");
      }
    };
    Retryer retryer = Retryer.of(RetryOptions.DEFAULT, time, () -> 0.5, broken);
    CompletableFuture<String> answer = retryer.call(call(true).answers(500).answers(200));
    time.advance(Duration.ofSeconds(1));
    assertThat(answer).isCompletedWithValue("200");
  }

  private void send(Retryer retryer, int... statuses) {
    for (int status : statuses) {
      assertThat(retryer.call(call(true).answers(status)))
          .isCompletedWithValue(Integer.toString(status));
    }
  }

  private boolean isSentAgain(ScriptedCall call) {
    retryer(o -> {}).call(call);
    time.advance(Duration.ofSeconds(1));
    return call.sentMillis.size() == 2;
  }

  private static RetryLaterException later(CompletableFuture<String> answer) {
    assertThat(answer).isCompletedExceptionally();
    return (RetryLaterException) answer.handle((value, error) -> error).join();
  }

  private ScriptedCall call(boolean isRepeatable) {
    return new ScriptedCall(time, isRepeatable);
  }

  private Retryer retryer(Consumer<RetryOptions.Builder> changes) {
    RetryOptions options = RetryOptions.DEFAULT.with(o -> o.jitter(Jitter.NONE)).with(changes);
    return Retryer.of(options, time, () -> random, listener);
  }

  /** Records its events. */
  private static final class RecordingListener implements RetryListener {
    private final List<String> all = new ArrayList<>();

    @Override
    public void retrying(String upstream, String reason, Duration wait) {
      all.add("retrying " + reason + " " + wait.toMillis());
    }

    @Override
    public void exhausted(String upstream, String reason) {
      all.add("exhausted " + reason);
    }

    @Override
    public void breakerChanged(String upstream, BreakerState from, BreakerState to) {
      all.add("breaker " + from + " " + to);
    }
  }
}
