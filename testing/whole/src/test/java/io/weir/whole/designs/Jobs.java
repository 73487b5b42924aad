package io.weir.whole.designs;

import io.vertx.core.json.JsonObject;
import io.weir.client.job.JobClient;
import io.weir.client.job.JobFuture;
import io.weir.client.retry.RetryOptions;
import io.weir.testkit.RealTime;
import io.weir.whole.designs.Callers.Call;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Callers that submit jobs, and submit those again that a Redis with an older copy does not know. */
final class Jobs {
  private static final int MOST_SUBMISSIONS = 20;
  private static final long MOST_MINUTES = 5;

  private final DesignNodes nodes;
  private final Callers callers;
  private final JobClient jobs;

  final AtomicInteger lost = new AtomicInteger();
  /** The jobs, by the number of the wish. */
  final Map<Long, Call> ended = new ConcurrentHashMap<>();

  Jobs(DesignNodes nodes, Callers callers) {
    this.nodes = nodes;
    this.callers = callers;
    this.jobs = new JobClient(nodes.client, RetryOptions.BACKGROUND.with(o -> o.attempts(200)));
  }

  void submitAll(int caller, String operation, Phases phases) {
    for (int i = caller; !phases.isOver(); i++) {
      long number = callers.nextNumber();
      Call call = submit(i, operation, number);
      callers.calls.add(call);
      ended.put(number, call);
      RealTime.pass(Duration.ofMillis(50));
    }
  }

  private Call submit(int turn, String operation, long number) {
    long begun = System.nanoTime();
    int polls = 0;
    for (int i = 0; i < MOST_SUBMISSIONS; i++) {
      long sent = System.nanoTime();
      JobFuture<String> job = jobs.submit(
          nodes.request(
              turn + i, "/" + operation, callers.body(number), callers.headers(Optional.empty())),
          BodyHandlers.ofString());
      int status = 0;
      boolean isGood = false;
      try {
        HttpResponse<String> answer = job.get(MOST_MINUTES, TimeUnit.MINUTES);
        status = answer.statusCode();
        isGood = status == 200
            && new JsonObject(answer.body()).getString("result").equals("of " + number);
      } catch (ExecutionException e) {
        System.out.printf("job %d: %s%n", number, e.getCause());
      } catch (Exception e) {
        throw new IllegalStateException("job " + number, e);
      }
      polls += job.questions();
      callers.answers.add(new Answer(sent, System.nanoTime(), operation, status, 1, "", false));
      if (isGood) {
        return new Call(begun, System.nanoTime(), polls, true, "");
      }
      lost.incrementAndGet();
      RealTime.pass(Duration.ofMillis(200));
    }
    return new Call(begun, System.nanoTime(), polls, false, "");
  }
}
