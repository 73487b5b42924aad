package io.weir.operators.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.core.policy.FailureMode;
import io.weir.node.testing.NodeFixture;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Sessions of browsers, and what pages of other sites cannot do with them. */
final class SessionIT {
  private static final String POLICY = """
      buckets: [{ name: requests, burstPeriodMs: 1000, throttleGroups: [{ opsPerSec: 10, operations: [Ask] }] }]
      """;
  private static final String EDIT =
      "{\"path\":\"/buckets/requests/burstPeriodMs\",\"value\":2000}";

  @AutoClose
  private static final NodeFixture node = new NodeFixture(POLICY, FailureMode.DENY);

  private record Session(String cookie, String csrf) {}

  private static HttpResponse<String> begun(String token) {
    return node.send(HttpRequest.newBuilder(node.uri("/v1/session"))
        .header("Authorization", "Bearer " + token)
        .POST(BodyPublishers.noBody()));
  }

  private static Session begin() {
    HttpResponse<String> answer = begun(NodeFixture.ADMIN);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    return new Session(cookie.split(";", 2)[0], NodeFixture.json(answer).getString("csrf"));
  }

  private static HttpResponse<String> send(
      String method, String path, Session session, String body, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(node.uri(path))
        .method(method, BodyPublishers.ofString(body))
        .header("Cookie", session.cookie());
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return node.send(request);
  }

  private static String code(HttpResponse<String> answer) {
    return NodeFixture.json(answer).getString("code");
  }

  @Test
  void aSessionBeginsWithAnAdminTokenAndItsCookieIsForThisNodeAlone() {
    HttpResponse<String> answer = begun(NodeFixture.ADMIN);

    JsonObject told = NodeFixture.json(answer);
    assertThat(told.getString("operator")).isEqualTo("admin");
    assertThat(told.getString("scope")).isEqualTo("all");
    String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie)
        .containsIgnoringCase("HttpOnly")
        .contains("SameSite=Strict", "Path=/v1")
        .doesNotContain("Domain");
    assertThat(cookie + answer.body()).doesNotContain(NodeFixture.ADMIN);
    assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
  }

  @Test
  void aWrongTokenBeginsNothing() {
    HttpResponse<String> answer = begun("a-guess");

    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
  }

  @Test
  void aCookieAloneLooksAndChangesNothing() {
    Session session = begin();

    assertThat(send("GET", "/v1/policy", session, "").statusCode()).isEqualTo(200);
    HttpResponse<String> withoutSecret = send("PATCH", "/v1/policy", session, EDIT);
    assertThat(withoutSecret.statusCode()).isEqualTo(403);
    assertThat(code(withoutSecret)).isEqualTo("csrf_invalid");
    HttpResponse<String> wrong =
        send("PATCH", "/v1/policy", session, EDIT, "Weir-Csrf", begin().csrf());
    assertThat(code(wrong)).isEqualTo("csrf_invalid");
    assertThat(send("PATCH", "/v1/policy?dryRun=true", session, EDIT, "Weir-Csrf", session.csrf())
            .statusCode())
        .isEqualTo(200);
  }

  @Test
  void aPageOfAnotherSiteIsRefusedThoughTheBrowserSendsTheCookie() {
    Session session = begin();

    for (String site : new String[] {"cross-site", "same-site"}) {
      HttpResponse<String> look = send("GET", "/v1/policy", session, "", "Sec-Fetch-Site", site);
      assertThat(code(look)).isEqualTo("csrf_invalid");
      HttpResponse<String> change = send(
          "PATCH",
          "/v1/policy",
          session,
          EDIT,
          "Sec-Fetch-Site",
          site,
          "Weir-Csrf",
          session.csrf());
      assertThat(code(change)).isEqualTo("csrf_invalid");
    }
    assertThat(send("GET", "/v1/policy", session, "", "Sec-Fetch-Site", "same-origin")
            .statusCode())
        .isEqualTo(200);
  }

  // A name that is rebound to the address of the node is another host for the browser: it has no
  // cookie there.
  @Test
  void aReboundNameHasNoSession() {
    String answer =
        node.raw("GET /v1/policy HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 401").contains("admin_token_invalid");
    assertThat(answer.toLowerCase(java.util.Locale.ROOT)).doesNotContain("access-control-allow");
  }

  @Test
  void aSessionEnds() {
    Session session = begin();

    assertThat(send("DELETE", "/v1/session", session, "").statusCode()).isEqualTo(403);
    HttpResponse<String> ended =
        send("DELETE", "/v1/session", session, "", "Weir-Csrf", session.csrf());

    assertThat(ended.statusCode()).isEqualTo(204);
    assertThat(ended.headers().firstValue("Set-Cookie").orElseThrow()).contains("Max-Age=0");
    assertThat(send("GET", "/v1/session", session, "").statusCode()).isEqualTo(401);
    assertThat(send("GET", "/v1/policy", session, "").statusCode()).isEqualTo(401);
  }

  @Test
  void aSecondSessionOfABrowserEndsTheFirst() {
    Session first = begin();
    HttpResponse<String> again =
        send("POST", "/v1/session", first, "", "Authorization", "Bearer " + NodeFixture.ADMIN);
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(send("GET", "/v1/session", first, "").statusCode()).isEqualTo(401);
  }

  @Test
  void theCookieIsSecureWhereTheBrowsersConnectionIs() {
    HttpResponse<String> answer = node.send(HttpRequest.newBuilder(node.uri("/v1/session"))
        .headers("Authorization", "Bearer " + NodeFixture.ADMIN, "Origin", "https://ops.example")
        .POST(HttpRequest.BodyPublishers.noBody()));
    assertThat(answer.headers().firstValue("Set-Cookie").orElseThrow()).contains("Secure");
  }

  @Test
  void tooManySessionsOfAnOperatorEndItsOldestOne() {
    Session oldest = begin();
    IntStream.range(0, 64).forEach(i -> begin());

    assertThat(send("GET", "/v1/session", oldest, "").statusCode()).isEqualTo(401);
    assertThat(send("GET", "/v1/session", begin(), "").statusCode()).isEqualTo(200);
  }

  // The first file names all others.
  private static List<String> files() {
    return Pattern.compile("(?:href|src)=\"([^\"]+)\"")
        .matcher(node.get("/page").body())
        .results()
        .map(found -> found.group(1))
        .distinct()
        .toList();
  }

  @Test
  void theFilesMayRunNothingFromElsewhereAndBeInNoFrame() {
    assertThat(files()).anyMatch(it -> it.endsWith("/app.js"));
    for (String path : Stream.concat(Stream.of("/page"), files().stream()).toList()) {
      HttpResponse<String> file = node.get(path);

      assertThat(file.statusCode()).as(path).isEqualTo(200);
      String policy = file.headers().firstValue("Content-Security-Policy").orElseThrow();
      assertThat(policy)
          .contains("default-src 'none'", "frame-ancestors 'none'", "script-src 'self'")
          .doesNotContain("unsafe", "http:", "https:");
      assertThat(file.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
      assertThat(file.headers().firstValue("X-Frame-Options")).hasValue("DENY");
    }
    assertThat(node.get("/page/none.js").statusCode()).isEqualTo(404);
    assertThat(node.get("/page/0123456789abcdef/app.js").statusCode()).isEqualTo(404);
    assertThat(node.get(files().get(0) + "/..%2fapp.js").statusCode()).isIn(400, 404);
  }

  @Test
  void theFirstFileIsAskedForEachTimeAndTheOthersOnce() {
    HttpResponse<String> first = node.get("/page");
    assertThat(first.headers().firstValue("Cache-Control")).hasValue("no-cache");
    String tag = first.headers().firstValue("ETag").orElseThrow();
    assertThat(node.get("/page", "If-None-Match", tag).statusCode()).isEqualTo(304);
    assertThat(files())
        .allSatisfy(path -> assertThat(node.get(path).headers().firstValue("Cache-Control"))
            .hasValue("public, max-age=31536000, immutable"));
  }

  @Test
  void allFilesTogetherHaveABoundAndEachIsThatOfGzip() throws IOException {
    long bytes = 0;
    for (String path : Stream.concat(Stream.of("/page"), files().stream()).toList()) {
      HttpResponse<byte[]> packed = bytes(path);
      assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
      assertThat(packed.headers().firstValue("Vary")).hasValue("accept-encoding");
      try (GZIPInputStream unpacked =
          new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
        assertThat(new String(unpacked.readAllBytes(), StandardCharsets.UTF_8))
            .isEqualTo(node.get(path).body());
      }
      bytes += packed.body().length;
    }
    assertThat(bytes).isLessThan(40 << 10);
  }

  private static HttpResponse<byte[]> bytes(String path) {
    try {
      return HttpClient.newHttpClient()
          .send(
              HttpRequest.newBuilder(node.uri(path))
                  .header("Accept-Encoding", "gzip")
                  .build(),
              BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
