package io.weir.jobs.door;

import io.vertx.core.json.JsonObject;
import io.weir.jobs.rule.JobState;
import io.weir.node.command.AdminCommand;
import io.weir.node.command.Ago;
import io.weir.node.command.CommandRow;
import io.weir.node.command.RowCommand;
import io.weir.node.command.Table;
import io.weir.node.command.Wrapped;
import io.weir.node.json.JsonInput;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code weir jobs}: the queues of jobs, the jobs of one operation, or one of them with its history; cancels one. */
public final class JobsCommand {
  private static final String PATH = "/v1/job-queues";
  private static final String OPERATION = "OPERATION";
  private static final String ID = "ID";
  private static final String STATE = "--state";
  private static final String LIMIT = "--limit";
  private static final String CANCEL = "--cancel";
  private static final String WATCH = "--watch";
  private static final int MOST = 100_000;
  private static final int PAGE = 200;
  private static final int MOST_PAGES = MOST / PAGE;
  private static final int INDENT = 11;

  // The words of the page.
  private static final Table<JsonObject> QUEUES = Table.<JsonObject>of()
      .text("operation", queue -> queue.getString("operation"))
      .number("waiting", queue -> queue.getLong("waiting") + queue.getLong("checking"))
      .number("to be sent", queue -> queue.getLong("dispatch"))
      .number("running", queue -> queue.getLong("running"))
      .number(
          "oldest",
          queue -> queue.containsKey("oldestMs") ? Ago.precisely(queue.getLong("oldestMs")) : "")
      .number("a new one takes", queue -> eta(queue));

  private static final Table<JsonObject> JOBS = Table.<JsonObject>of()
      .whole("id", job -> job.getString("id"))
      .text("state", job -> job.getString("state"))
      .number("before", job -> job.getValue("position", ""))
      .text("key", JobsCommand::owner)
      .number("age", job -> Ago.precisely(job.getLong("ageMs")))
      .number("tries", job -> job.getLong("attempts"));

  private JobsCommand() {}

  /** The row of the command. */
  public static CommandRow row() {
    return CommandRow.of(
            "jobs",
            "Shows how many jobs of each operation wait and run, lists the jobs of one operation that "
                + "are not done, or shows one with its history; cancels one.",
            JobsCommand::run)
        .optionalArgument(OPERATION, "the operation of the jobs; without one the queues are shown")
        .optionalArgument(ID, "a job: its history is shown")
        .flag(CANCEL, "cancels the job ID")
        .option(
            STATE,
            "STATE",
            "only jobs in this state, such as queued or in_flight, also those that have ended, such as "
                + "failed")
        .number(LIMIT, "N", 100, "how many are listed at most")
        .watched();
  }

  private static int run(RowCommand call) throws IOException {
    requireSound(call);
    if (call.text(OPERATION).isEmpty()) {
      String none = "The policy has no operation with jobs.";
      return call.listed(call.get(PATH), "queues", none, QUEUES);
    }
    if (call.text(ID).isEmpty()) {
      return list(call);
    }
    String job = path(call) + "/" + call.text(ID);
    return call.flag(CANCEL)
        ? call.printed(call.delete(job), done -> call.out().println("It is cancelled."))
        : call.printed(call.get(job), found -> print(call, found));
  }

  private static void requireSound(RowCommand call) {
    String id = call.text(ID);
    String state = call.text(STATE);
    if (!id.isEmpty() && !id.matches("[0-9a-f]{32}")) {
      throw call.wrong("'%s' (expected: the id of a job, 32 hexadecimal digits)".formatted(id));
    }
    if (call.number(LIMIT) < 1 || call.number(LIMIT) > MOST) {
      throw call.wrong("%s: %d (expected: 1 to %d)".formatted(LIMIT, call.number(LIMIT), MOST));
    }
    if (call.flag(CANCEL) && id.isEmpty()) {
      throw call.wrong("--cancel without a job (expected: its id)");
    }
    if (call.flag(CANCEL) && call.flag(WATCH)) {
      throw call.wrong("--cancel with --watch (expected: one of them)");
    }
    if (!state.isEmpty() && call.text(OPERATION).isEmpty()) {
      throw call.wrong("--state without an operation (expected: its name)");
    }
    if (!state.isEmpty() && JobState.of(state(call)).isEmpty()) {
      throw call.wrong("--state: '%s' (expected: one of %s)".formatted(state, JobState.words()));
    }
  }

  private static String state(RowCommand call) {
    return call.text(STATE).toLowerCase(Locale.ROOT);
  }

  private static String path(RowCommand call) {
    return PATH + "/" + AdminCommand.segment(call.text(OPERATION));
  }

  // A job that goes on meanwhile may be on two pages.
  private static int list(RowCommand call) throws IOException {
    int limit = call.number(LIMIT);
    Map<String, JsonObject> jobs = new LinkedHashMap<>();
    JsonObject page = new JsonObject();
    int pages = 0;
    do {
      int most = Math.min(PAGE, limit - jobs.size());
      HttpResponse<String> answer = call.get(path(call)
          + AdminCommand.query(Map.of(
              "state", state(call),
              "from", page.getValue("next", "").toString(),
              "limit", Integer.toString(most))));
      if (call.failed(answer)) {
        return 1;
      }
      page = JsonInput.object(answer.body());
      RowCommand.objects(page, "jobs").forEach(job -> jobs.putIfAbsent(job.getString("id"), job));
      pages++;
    } while (page.containsKey("next") && jobs.size() < limit && pages < MOST_PAGES);
    print(call, List.copyOf(jobs.values()), page);
    call.out().flush();
    return 0;
  }

  private static void print(RowCommand call, List<JsonObject> jobs, JsonObject page) {
    if (call.isJson()) {
      jobs.forEach(job -> call.out().println(job.encode()));
    } else if (jobs.isEmpty()) {
      call.out().println(Wrapped.lines(none(call)));
    } else {
      JOBS.print(jobs, call.out());
    }
    if (page.containsKey("next")) {
      (call.isJson() ? call.err() : call.out()).println(more(call, jobs.size(), page));
    }
  }

  private static String none(RowCommand call) {
    return call.text(STATE).isEmpty()
        ? "No job of %s is under way.".formatted(call.text(OPERATION))
        : "No job of %s is in the state %s.".formatted(call.text(OPERATION), state(call));
  }

  // How many are in one state is unknown until all jobs are examined.
  private static String more(RowCommand call, int shown, JsonObject page) {
    if (!call.text(STATE).isEmpty()) {
      return shown < call.number(LIMIT)
          ? "Not all jobs were examined, only %d: there may be more."
              .formatted(page.getLong("next"))
          : "There may be more than %d (%s)".formatted(shown, LIMIT);
    }
    long all = page.getLong("waiting")
        + page.getLong("checking")
        + page.getLong("dispatch")
        + page.getLong("running");
    return "… and %d more (%s)".formatted(Math.max(1, all - shown), LIMIT);
  }

  private static void print(RowCommand call, JsonObject job) {
    row(call, "job", job.getString("id"));
    row(call, "key", owner(job));
    row(call, "state", job.getString("state"));
    if (job.containsKey("position")) {
      row(call, "position", job.getValue("position").toString());
    }
    row(call, "age", Ago.precisely(job.getLong("ageMs")));
    if (!isEnd(job)) {
      row(call, "done in", eta(job));
    }
    row(call, "run", job.getValue("run").toString());
    row(call, "tries", job.getValue("attempts").toString());
    if (job.containsKey("receipt")) {
      row(call, "receipt", job.getString("receipt"));
    }
    call.out().println();
    history(job);
    Table.<JsonObject>of()
        .whole("state", step -> step.getString("state"))
        .whole("at", step -> step.getString("at"))
        .number("after", step -> step.getString("after"))
        .print(RowCommand.objects(job, "history"), call.out());
  }

  private static boolean isEnd(JsonObject job) {
    return JobState.of(job.getString("state")).filter(JobState::isEnd).isPresent();
  }

  // Adds the time since the step before.
  private static void history(JsonObject job) {
    List<JsonObject> steps = RowCommand.objects(job, "history");
    for (int i = 0; i < steps.size(); i++) {
      Duration after = Duration.between(at(steps.get(Math.max(0, i - 1))), at(steps.get(i)));
      steps.get(i).put("after", "+%.3f s".formatted(after.toNanos() / 1e9));
    }
  }

  private static Instant at(JsonObject step) {
    return Instant.parse(step.getString("at"));
  }

  private static void row(RowCommand call, String name, String text) {
    call.out().println(Wrapped.named(name, INDENT, text));
  }

  private static String owner(JsonObject job) {
    return job.getString("tenant") + "/" + job.getString("key");
  }

  private static String eta(JsonObject of) {
    long seconds = of.getLong("etaSeconds");
    return seconds == 0 ? "now" : Ago.precisely(1000 * seconds);
  }
}
