package io.weir.windows;

import io.weir.state.connection.RedisConnections;
import io.weir.state.connection.RedisLibrary;
import io.weir.state.wire.LuaLibrary;
import io.weir.state.wire.Statuses;
import io.weir.state.wire.StoreClock;
import io.weir.windows.WindowAnswer.Range;
import io.weir.windows.WindowStatuses.WindowClaim;
import io.weir.windows.WindowStatuses.WindowDecide;
import io.weir.windows.WindowStatuses.WindowEnd;
import io.weir.windows.WindowStatuses.WindowOpen;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** Windows in Redis: the state of each is in hashes and sorted sets, and a script makes each call. */
public final class RedisWindows implements WindowStore {
  private static final int VIEW = 6;
  private static final int FIELDS = 5;

  private static final List<String> COMMANDS = List.of(
      "window_open", "window_claim", "window_end", "window_decide", "window_look", "window_return");

  private final RedisLibrary library;

  public RedisWindows(RedisConnections redis) {
    this(redis, StoreClock.REDIS);
  }

  /** @param clock Redis's own but to rehearse and in tests */
  public RedisWindows(RedisConnections redis, StoreClock clock) {
    this.library =
        new RedisLibrary(redis, LuaLibrary.of("windows", COMMANDS, clock.modules()), clock);
  }

  @Override
  public CompletionStage<WindowAnswer> open(WindowRule rule, long from, long to) {
    return run("window_open", rule, Long.toString(from), Long.toString(to)).thenApply(answer -> {
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

  @Override
  public CompletionStage<WindowAnswer> claim(WindowRule rule, String id) {
    return run("window_claim", rule, id)
        .thenApply(answer -> Statuses.of(WindowClaim.class, answer.get(0)) == WindowClaim.CLAIMED
            ? new WindowAnswer.Claimed(
                id, number(answer, 1), number(answer, 2), number(answer, 3), view(answer))
            : new WindowAnswer.Nothing(number(answer, 1), view(answer)));
  }

  @Override
  public CompletionStage<Long> takeBack(WindowRule rule, List<String> ids) {
    return run("window_return", rule, String.join(" ", ids)).thenApply(answer -> number(answer, 0));
  }

  @Override
  public CompletionStage<WindowAnswer> end(
      WindowRule rule, long from, String id, End how, String note) {
    return run("window_end", rule, Long.toString(from), id, word(how), note)
        .thenApply(RedisWindows::ended);
  }

  @Override
  public CompletionStage<WindowAnswer> decide(WindowRule rule, Choice choice, long number) {
    return run("window_decide", rule, word(choice), Long.toString(number))
        .thenApply(RedisWindows::decided);
  }

  @Override
  public CompletionStage<WindowAnswer.Listed> look(WindowRule rule, boolean isOfFailed, int most) {
    return run("window_look", rule, isOfFailed ? "failed" : "ended", Integer.toString(most))
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

  private CompletionStage<List<Object>> run(String command, WindowRule rule, String... more) {
    Stream<String> of = Stream.of(
        Integer.toString(rule.width()),
        Integer.toString(rule.attempts()),
        Long.toString(rule.leaseMicros()),
        Long.toString(rule.backoffMicros()),
        rule.keepsResults() ? "1" : "0");
    return library.run(
        command, WindowKeys.of(rule.name()), Stream.concat(of, Stream.of(more)).toList());
  }
}
