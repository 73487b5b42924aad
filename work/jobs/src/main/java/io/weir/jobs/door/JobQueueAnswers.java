package io.weir.jobs.door;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.OperationRule;
import io.weir.jobs.rule.Eta;
import io.weir.jobs.rule.Job;
import io.weir.jobs.rule.JobPage;
import io.weir.jobs.rule.JobQueue;
import io.weir.jobs.rule.JobRule;
import io.weir.jobs.rule.JobState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Answers about jobs, for operators. */
final class JobQueueAnswers {
  private JobQueueAnswers() {}

  /** A queue in numbers. */
  static JsonObject queue(OperationRule rule, JobPage heads) {
    JsonObject json = counts(rule, heads.queue());
    heads.jobs().stream()
        .mapToLong(Job::elapsedMillis)
        .max()
        .ifPresent(oldest -> json.put("oldestMs", oldest));
    return json;
  }

  /** A page of jobs, with their queue in numbers. */
  static JsonObject page(OperationRule rule, int from, JobPage page) {
    JsonObject json = counts(rule, page.queue())
        .put("from", from)
        .put(
            "jobs",
            new JsonArray(page.jobs().stream().map(job -> job(rule, job)).toList()));
    page.next().ifPresent(next -> json.put("next", next));
    return json;
  }

  private static JsonObject counts(OperationRule rule, JobQueue queue) {
    JobRule settings = JobRule.of(rule).orElseThrow();
    long ahead = settings.isDual() ? queue.waiting() : queue.dispatch();
    long millis = Eta.rawMillis(settings, queue, JobState.QUEUED, ahead, 0);
    return new JsonObject()
        .put("operation", rule.name())
        .put("waiting", queue.waiting())
        .put("checking", queue.checking())
        .put("dispatch", queue.dispatch())
        .put("running", queue.running())
        .put("etaSeconds", Eta.shownSeconds(settings, JobState.QUEUED, millis));
  }

  private static JsonObject job(OperationRule rule, Job job) {
    JsonObject json = new JsonObject()
        .put("id", job.name().id())
        .put("state", job.progress().state().word())
        .put("tenant", job.name().tenant())
        .put("key", job.name().subject())
        .put("ageMs", job.elapsedMillis())
        .put("sinceMs", job.sinceMillis())
        .put("attempts", job.progress().attempts())
        .put("etaSeconds", JobAnswers.etaSeconds(job, JobRule.of(rule).orElseThrow()));
    job.ahead().position().ifPresent(position -> json.put("position", position));
    return json;
  }

  /** A job, with the states that it has entered. */
  static JsonObject withHistory(OperationRule rule, Job job) {
    JsonArray history = new JsonArray();
    for (Job.Step step : job.times().story()) {
      history.add(new JsonObject()
          .put("state", step.state().word())
          .put("at", Instant.EPOCH.plus(step.atMicros(), ChronoUnit.MICROS).toString()));
    }
    JsonObject json = job(rule, job).put("run", job.progress().run());
    job.progress().receipt().ifPresent(place -> json.put("receipt", place));
    return json.put("history", history);
  }
}
