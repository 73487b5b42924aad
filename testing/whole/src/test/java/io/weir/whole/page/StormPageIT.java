package io.weir.whole.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.testing.NodeFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A storm of denials of very many invented subjects, as an operator sees it. */
@Tag("page")
final class StormPageIT extends OperatorsPage {
  private static final int BATCHES = 100;
  private static final int OF_BATCH = 1000;
  private static final int PULSES = 3;
  private static final int MOST_CASES = 32;
  private static final int MOST_ELEMENTS = 20_000;
  private static final int MOST_CHARACTERS = 64 << 10;

  /** Denies each of so many subjects once, and returns the number of denials. */
  private static int storm() {
    return IntStream.range(0, BATCHES).map(StormPageIT::denied).sum();
  }

  private static int denied(int batch) {
    JsonArray checks = new JsonArray();
    for (int i = 0; i < OF_BATCH; i++) {
      checks.add(new JsonObject()
          .put("subject", "user:%d-%d".formatted(batch, i))
          .put("operation", "Ask")
          .put("cost", 7));
    }
    HttpResponse<String> answer = node.post(
        "/v1/check",
        new JsonObject().put("checks", checks).encode(),
        "Authorization",
        "Bearer " + NodeFixture.SERVICE);
    return (int)
        Pattern.compile("\"never_allowed\"").matcher(answer.body()).results().count();
  }

  private static HttpResponse<InputStream> watch() {
    try {
      return HttpClient.newHttpClient()
          .send(
              HttpRequest.newBuilder(node.adminUri("/v1/live"))
                  .header("Authorization", "Bearer " + NodeFixture.ADMIN)
                  .build(),
              BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aStormOfDenialsLeavesThePageAndTheStreamAsSmallAsBefore() throws IOException {
    signIn();
    try (InputStream stream = watch().body()) {
      CompletableFuture<List<String>> events = CompletableFuture.supplyAsync(() -> lines(stream));
      CompletableFuture<Integer> storm = CompletableFuture.supplyAsync(StormPageIT::storm);

      assertThat(page.locator("[aria-label=cases] tbody")).containsText("app/user:");
      requireSmall();
      go("now?list=denials");
      assertThat(page.locator("[aria-label=denials] tbody")).containsText("app/user:");
      requireSmall();
      go("now?key=frozen");
      button("Freeze…").click();
      confirm("Freeze").click();
      assertThat(page.locator(".notice")).containsText("active → frozen");
      button("Activate…").click();
      confirm("Activate").click();
      assertThat(page.locator(".notice")).containsText("frozen → active");
      assertThat(storm.join()).isEqualTo(BATCHES * OF_BATCH);
      go("now");
      assertThat(page.locator("[aria-label=cases] tbody")).containsText("app/user:");
      requireSmall();

      JsonObject cases = NodeFixture.json(send("GET", "/v1/cases", ""));
      assertThat(cases.getJsonArray("cases")).hasSizeLessThanOrEqualTo(MOST_CASES);
      requireFew(events.join());
    }
    assertThat(complaints).isEmpty();
  }

  private void requireSmall() {
    assertThat(page.locator("[aria-label=cases] tbody tr").count()).isLessThanOrEqualTo(MOST_CASES);
    assertThat((Integer) page.evaluate("document.querySelectorAll('*').length"))
        .isLessThan(MOST_ELEMENTS);
  }

  // Those of the first three pulses, which the node sends every two seconds.
  private static List<String> lines(InputStream stream) {
    AtomicInteger pulses = new AtomicInteger();
    return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))
        .lines()
        .takeWhile(line -> !line.equals("event: pulse") || pulses.incrementAndGet() <= PULSES)
        .toList();
  }

  // One of each event for a pulse, however many requests are denied.
  private static void requireFew(List<String> lines) {
    for (String event : List.of("pulse", "top", "cases")) {
      assertThat(lines.stream().filter(("event: " + event)::equals))
          .hasSizeLessThanOrEqualTo(PULSES);
    }
    assertThat(lines).allMatch(line -> line.length() < MOST_CHARACTERS);
  }
}
