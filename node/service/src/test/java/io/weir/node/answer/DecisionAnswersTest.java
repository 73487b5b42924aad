package io.weir.node.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import io.weir.core.decision.Decision.Denied;
import io.weir.core.decision.Verdict;
import io.weir.core.decision.Verdict.Outcome;
import io.weir.core.decision.Verdict.Wait;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a denial costs a node, and what its answer holds. */
final class DecisionAnswersTest {
  private static final Demand SHARED = Demand.of(new Bucket("all", Scope.CLUSTER, 10_000, 1000));
  private static final MultiMap HEADERS = MultiMap.caseInsensitiveMultiMap();

  // As of a bucket that is known to be full: each denial has a list of its own.
  private static Denied denied() {
    Wait wait = new Wait(1_500_000, true, Optional.empty());
    long[] used = {SHARED.bucket().capacityUnits()};
    return (Denied) new Verdict(7, List.of(SHARED), 1).decision(Outcome.DENIED, used, wait);
  }

  private static String text(Denied denied) {
    DecisionAnswers.addHeaders(denied, HEADERS.clear());
    return DecisionAnswers.problem("Ping", denied).text();
  }

  @Test
  void anAnswerHasAllMembersOfItsDenial() {
    assertThat(new JsonObject(text(denied())))
        .isEqualTo(new JsonObject()
            .put("type", "https://iana.org/assignments/http-problem-types#quota-exceeded")
            .put("title", "Request cannot be satisfied as assigned quota has been exceeded")
            .put("status", 429)
            .put("code", "quota_exceeded")
            .put("retryAfterMs", 1500)
            .put("slotMs", 1500)
            .put("estimate", true)
            .put("violated-policies", new JsonArray().add("all"))
            .put("full", new JsonArray().add("all"))
            .put(
                "limits",
                new JsonArray()
                    .add(new JsonObject()
                        .put("name", "all")
                        .put("kind", "rate")
                        .put("scope", "cluster")))
            .put("revision", 7)
            .put("operation", "Ping"));
  }

  // 3,500 bytes without what a compiler leaves out; with a copy of its members for each step it was
  // 7,500.
  @Test
  void anAnswerIsWrittenWithoutCopiesOfItsMembers() {
    Denied[] denials = new Denied[51];
    Arrays.setAll(denials, i -> denied());
    long[] allocated = Arrays.stream(denials)
        .mapToLong(denied -> allocatedBy(() -> text(denied)))
        .sorted()
        .toArray();
    assertThat(allocated[25]).isBetween(1L, 4500L);
  }

  private static long allocatedBy(Runnable task) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    task.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void theLimitOfASharedBucketIsWrittenOnceForAllItsDenials() {
    DecisionAnswers.addHeaders(denied(), HEADERS.clear());
    String first = HEADERS.get("RateLimit-Policy");
    DecisionAnswers.addHeaders(denied(), HEADERS.clear());
    assertThat(HEADERS.get("RateLimit-Policy")).isSameAs(first);
  }

  @Test
  void aProblemHasTheMembersOfAnyJson() {
    JsonObject nested = new JsonObject()
        .put("a \"quoted\"\n name", new JsonArray().add(1).add("zwei ü").addNull())
        .put("none", new JsonObject())
        .putNull("absent");
    ProblemDetails problem = ProblemDetails.of(409, "code", "title").with("nested", nested);
    nested.put("later", 1); // a problem is not modified
    nested.getJsonArray("a \"quoted\"\n name").add("later");

    assertThat(new JsonObject(problem.text())).isEqualTo(problem.toJson());
    assertThat(new JsonObject(problem.text()).getJsonObject("nested").encode())
        .isEqualTo(
            "{\"a \\\"quoted\\\"\\n name\":[1,\"zwei ü\",null],\"none\":{},\"absent\":null}");
  }
}
