package io.weir.client.retry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A call whose attempts end as a test wants, one after another. Mutable; owned by the test. */
final class ScriptedCall implements Call<String> {
  private sealed interface End {
    record Answer(int status, Map<String, String> headers) implements End {}

    record Failure(Throwable error) implements End {}

    record Never(CompletableFuture<String> answer) implements End {}
  }

  private final Timekeeper time;
  private final boolean isRepeatable;
  private final Deque<End> ends = new ArrayDeque<>();
  private final long begunNanos;

  /** The target. */
  String upstream = "http://upstream";

  /** The times of its attempts, in milliseconds since its creation. */
  final List<Long> sentMillis = new ArrayList<>();

  /** The tickets that it sent. */
  final List<Optional<String>> shown = new ArrayList<>();

  ScriptedCall(Timekeeper time, boolean isRepeatable) {
    this.time = time;
    this.isRepeatable = isRepeatable;
    this.begunNanos = time.nanoTime();
  }

  ScriptedCall answers(int status, String... headers) {
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < headers.length; i += 2) {
      all.put(headers[i].toLowerCase(Locale.ROOT), headers[i + 1]);
    }
    ends.add(new End.Answer(status, all));
    return this;
  }

  ScriptedCall answersTimes(int times, int status) {
    for (int i = 0; i < times; i++) {
      answers(status);
    }
    return this;
  }

  ScriptedCall fails(Throwable error) {
    ends.add(new End.Failure(error));
    return this;
  }

  CompletableFuture<String> hangs() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    ends.add(new End.Never(answer));
    return answer;
  }

  @Override
  public String upstream() {
    return upstream;
  }

  @Override
  public String name() {
    return "GET http://upstream/x";
  }

  @Override
  public boolean isRepeatable() {
    return isRepeatable;
  }

  @Override
  public CompletionStage<String> send(Attempt attempt) {
    sentMillis.add((time.nanoTime() - begunNanos) / 1_000_000);
    shown.add(attempt.ticket());
    End end = ends.remove();
    if (end instanceof End.Failure failure) {
      return CompletableFuture.failedFuture(failure.error());
    }
    if (end instanceof End.Never never) {
      return never.answer();
    }
    End.Answer answer = (End.Answer) end;
    attempt.isAnswer(
        answer.status(),
        name -> Optional.ofNullable(answer.headers().get(name.toLowerCase(Locale.ROOT))).stream()
            .toList());
    return CompletableFuture.completedFuture(Integer.toString(answer.status()));
  }
}
