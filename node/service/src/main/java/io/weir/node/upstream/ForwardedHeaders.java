package io.weir.node.upstream;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.policy.Subject;
import io.weir.core.policy.Upstream;
import io.weir.node.admission.IdentifiedRequest;
import io.weir.node.answer.Tickets;
import io.weir.node.intake.HopByHop;
import io.weir.node.usage.Usage;
import io.weir.state.wire.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The headers that the upstream gets: the caller's, without hop-by-hop headers and without the key and the ticket that
 * Weir has checked; plus headers that name the subject and the path of the request: {@code X-Weir-Subject}, {@code
 * X-Weir-Tenant}, {@code Forwarded} (RFC 7239), {@code X-Forwarded-For} and {@code Via} (RFC 9110, section 7.6.3).
 */
public final class ForwardedHeaders implements RequestHeaders {
  /** This node, in the header {@code Via}. */
  public static final String VIA = "1.1 weir";

  /** The header with the id of the subject. */
  public static final String SUBJECT = "X-Weir-Subject";

  /** The header with the tenant of the subject. */
  public static final String TENANT = "X-Weir-Tenant";

  private static final String OWN = "x-weir-";
  private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
  private static final String OF_PROXIES = "x-forwarded-";
  private static final Set<String> PRIVATE = Set.of(
      "authorization",
      "cf-connecting-ip",
      "cookie",
      "forwarded",
      "true-client-ip",
      "x-api-key",
      "x-client-ip",
      "x-real-ip");

  private final HttpServerRequest request;
  private final IdentifiedRequest asked;

  /** @param request the HTTP request that it came with */
  ForwardedHeaders(HttpServerRequest request, IdentifiedRequest asked) {
    this.request = request;
    this.asked = asked;
  }

  @Override
  public MultiMap own(Upstream server) {
    MultiMap headers = identified(server);
    String caller =
        request.remoteAddress() == null ? null : request.remoteAddress().host();
    if (caller != null) {
      headers.add("X-Forwarded-For", caller);
      String name = caller.indexOf(':') < 0 ? caller : "\"[%s]\"".formatted(caller);
      headers.add(
          "Forwarded", "for=%s;proto=%s".formatted(name, request.isSSL() ? "https" : "http"));
    }
    headers.remove("X-Forwarded-Host");
    String host = request.getHeader(HttpHeaders.HOST);
    if (host != null) {
      headers.set("X-Forwarded-Host", host);
    }
    return headers;
  }

  @Override
  public MultiMap foreign(Upstream server, Set<String> keys) {
    MultiMap headers = common(server);
    removePrivate(headers, keys);
    String idempotencyKey = headers.get(IDEMPOTENCY_KEY);
    if (idempotencyKey != null) {
      headers.set(IDEMPOTENCY_KEY, ofSubject(asked.subject(), idempotencyKey));
    }
    return headers;
  }

  /** Removes the caller's identity and secrets, and our keys. */
  public static void removePrivate(MultiMap headers, Set<String> keys) {
    List<String> kept = new ArrayList<>(0);
    for (String name : headers.names()) {
      String plain = plain(name);
      boolean isPrivate = PRIVATE.contains(plain) || plain.startsWith(OF_PROXIES);
      if (isPrivate || plain.startsWith(OWN) || keys.contains(plain)) {
        kept.add(name);
      }
    }
    kept.forEach(headers::remove);
  }

  // All subjects share one account at the provider: equal keys of two subjects must differ there.
  private static String ofSubject(Subject subject, String key) {
    String whole = String.join("\n", subject.tenant(), subject.id(), key);
    return Sha256.hex(whole.getBytes(StandardCharsets.UTF_8));
  }

  /** The name of a header as servers compare it: CGI does not distinguish an underscore from a hyphen. */
  public static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private MultiMap identified(Upstream server) {
    MultiMap headers = common(server);
    own(headers).forEach(headers::remove);
    headers.set(SUBJECT, asked.subject().id());
    headers.set(TENANT, asked.subject().tenant());
    return headers;
  }

  private MultiMap common(Upstream server) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().addAll(asked.request().headers());
    HopByHop.remove(headers);
    headers.remove(HttpHeaders.TRANSFER_ENCODING);
    headers.remove(HttpHeaders.EXPECT); // this node answers it
    headers.remove(Tickets.RETRY_TICKET);
    if (asked.settle().map(Usage::new).filter(Usage::needsTheBody).isPresent()) {
      headers.set(HttpHeaders.ACCEPT_ENCODING, "identity"); // the cost is read from the body
    }
    headers.add("Via", VIA);
    headers.set(HttpHeaders.HOST, server.uri().getAuthority());
    return headers;
  }

  private static List<String> own(MultiMap headers) {
    List<String> own = new ArrayList<>(0);
    for (String name : headers.names()) {
      if (name.length() > OWN.length() && plain(name).startsWith(OWN)) {
        own.add(name);
      }
    }
    return own;
  }
}
