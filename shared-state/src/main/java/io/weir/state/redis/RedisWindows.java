package io.weir.state.redis;

import io.weir.core.window.WindowAnswer;
import io.weir.core.window.WindowAnswer.Range;
import io.weir.core.window.WindowRule;
import io.weir.core.window.WindowView;
import io.weir.state.redis.wire.LuaScript;
import io.weir.state.redis.wire.RedisKeys;
import io.weir.state.redis.wire.Statuses;
import io.weir.state.redis.wire.Statuses.WindowClaim;
import io.weir.state.redis.wire.Statuses.WindowDecide;
import io.weir.state.redis.wire.Statuses.WindowEnd;
import io.weir.state.redis.wire.Statuses.WindowOpen;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Windows of ordered ranges in Redis, for all nodes, planners and workers. Safe for use by many threads; never blocks.
 * Failures are {@link io.weir.core.throttle.StoreUnavailableException}.
 */
public final class RedisWindows {
  private static final int VIEW = 6;
  private static final int FIELDS = 5;

  private final RedisConnections redis;
  private final LuaScript open;
  private final LuaScript claim;
  private final LuaScript end;
  private final LuaScript decide;
  private final LuaScript look;
  private final LuaScript takeBack;
  private final Supplier<List<String>> clock;

  public RedisWindows(RedisConnections redis) {
    this(redis, Map.of(), List::of);
  }

  private RedisWindows(
      RedisConnections redis, Map<String, String> includes, Supplier<List<String>> clock) {
    this.redis = redis;
    this.clock = clock;
    this.open = LuaScript.load("window_open", includes);
    this.claim = LuaScript.load("window_claim", includes);
    this.end = LuaScript.load("window_end", includes);
    this.decide = LuaScript.load("window_decide", includes);
    this.look = LuaScript.load("window_look", includes);
    this.takeBack = LuaScript.load("window_return", includes);
  }

  /** The same with a clock other than Redis's, as {@link RedisBucketStore#rehearsing}. */
  public static RedisWindows rehearsing(RedisConnections redis, LongSupplier clockMicros) {
    return new RedisWindows(
        redis, Map.of("now", "now_text"), () -> List.of(Long.toString(clockMicros.getAsLong())));
  }

  /** How a claim ends, or continues. */
  public enum End {
    FINISH,
    FAIL,
    /** The work was not begun. */
    RELEASE,
    RENEW
  }

  /** A decision of a planner. */
  public enum Choice {
    SKIP,
    RETRY,
    COMMIT,
    FORGET
  }

  /** Opens the range from one number to another, both included. */
  public CompletionStage<WindowAnswer> open(WindowRule rule, long from, long to) {
    return run(open, rule, Long.toString(from), Long.toString(to)).thenApply(answer -> {
      WindowView view = view(answer);
      return switch (Statuses.of(WindowOpen.class, answer.get(0))) {
        case OPENED -> new WindowAnswer.Opened(true, view);
        case OPEN_ALREADY, COMMITTED_ALREADY -> new WindowAnswer.Opened(false, view);
        case FULL -> new WindowAnswer.Full(number(answer, 1), view);
        case FAILED -> new WindowAnswer.Blocked(number(answer, 1), view);
        case NOT_NEXT -> new WindowAnswer.NotNext(view);
      };
    });
  }

  /**
   * Claims the first range with state todo.
   *
   * @param id of the claim, without blanks
   */
  public CompletionStage<WindowAnswer> claim(WindowRule rule, String id) {
    return run(claim, rule, id)
        .thenApply(answer -> Statuses.of(WindowClaim.class, answer.get(0)) == WindowClaim.CLAIMED
            ? new WindowAnswer.Claimed(
                id, number(answer, 1), number(answer, 2), number(answer, 3), view(answer))
            : new WindowAnswer.Nothing(number(answer, 1), view(answer)));
  }

  /**
   * Takes back claims whose answers were lost: they do not count as attempts.
   *
   * @return how many there were
   */
  public CompletionStage<Long> takeBack(WindowRule rule, List<String> ids) {
    return run(takeBack, rule, String.join(" ", ids)).thenApply(answer -> number(answer, 0));
  }

  /**
   * Ends a claim, or renews it.
   *
   * @param note the result, or the reason of the failure; may be empty
   */
  public CompletionStage<WindowAnswer> end(
      WindowRule rule, long from, String id, End how, String note) {
    return run(end, rule, Long.toString(from), id, word(how), note).thenApply(RedisWindows::ended);
  }

  /** Decides on a range; for {@link Choice#COMMIT} the number is the last one to commit. */
  public CompletionStage<WindowAnswer> decide(WindowRule rule, Choice choice, long number) {
    return run(decide, rule, word(choice), Long.toString(number)).thenApply(RedisWindows::decided);
  }

  /** The ranges that have failed, or else those that may be committed. */
  public CompletionStage<WindowAnswer.Listed> look(WindowRule rule, boolean isOfFailed, int most) {
    return run(look, rule, isOfFailed ? "failed" : "ended", Integer.toString(most))
        .thenApply(answer -> {
          List<Range> ranges = new ArrayList<>();
          for (int i = 0; i < answer.size() - VIEW; i += FIELDS) {
            ranges.add(new Range(
                number(answer, i),
                number(answer, i + 1),
                (String) answer.get(i + 2),
                number(answer, i + 3),
                (String) answer.get(i + 4)));
          }
          return new WindowAnswer.Listed(ranges, view(answer));
        });
  }

  private static String word(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT);
  }

  private static WindowAnswer ended(List<Object> answer) {
    return switch (Statuses.of(WindowEnd.class, answer.get(0))) {
      case DONE -> new WindowAnswer.Done(state(answer), view(answer));
      case LOST -> new WindowAnswer.Refused(state(answer), view(answer));
      case UNKNOWN -> new WindowAnswer.Unknown(view(answer));
    };
  }

  private static WindowAnswer decided(List<Object> answer) {
    return switch (Statuses.of(WindowDecide.class, answer.get(0))) {
      case DONE -> new WindowAnswer.Done(state(answer), view(answer));
      case REFUSED -> new WindowAnswer.Refused(state(answer), view(answer));
      case UNKNOWN -> new WindowAnswer.Unknown(view(answer));
    };
  }

  private static String state(List<Object> answer) {
    return (String) answer.get(1);
  }

  private static long number(List<Object> answer, int i) {
    return (Long) answer.get(i);
  }

  private static WindowView view(List<Object> answer) {
    int at = answer.size() - VIEW;
    return new WindowView(
        number(answer, at),
        number(answer, at + 1),
        number(answer, at + 2),
        number(answer, at + 3),
        number(answer, at + 4),
        number(answer, at + 5));
  }

  private CompletionStage<List<Object>> run(LuaScript script, WindowRule rule, String... more) {
    Stream<String> of = Stream.of(
        Integer.toString(rule.width()),
        Integer.toString(rule.attempts()),
        Long.toString(rule.leaseMicros()),
        Long.toString(rule.backoffMicros()),
        rule.keepsResults() ? "1" : "0");
    List<String> arguments = Stream.of(of, Stream.of(more), clock.get().stream())
        .flatMap(words -> words)
        .toList();
    return Scripts.run(redis, script, RedisKeys.window(rule.name()), arguments);
  }
}
