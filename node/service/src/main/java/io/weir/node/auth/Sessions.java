package io.weir.node.auth;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.core.throttle.Failures;
import io.weir.core.throttle.StoreFault;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The sessions of operators who use the page in a browser, on any node. A session stands for the token it was begun with,
 * which is looked up at each request: it ends with the token. The token is stored encrypted; only the cookie opens it.
 * Safe for use by many threads; futures complete on the caller's context.
 */
public final class Sessions {
  /** The header that shows the session's second secret, which pages of other sites do not know. */
  public static final String CSRF_HEADER = "Weir-Csrf";

  private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD);
  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");
  private static final ProblemDetails CSRF = ProblemDetails.of(
      403,
      "csrf_invalid",
      "A request with a session's cookie that changes something needs the session's "
          + CSRF_HEADER);
  private static final ProblemDetails MISSING =
      ProblemDetails.of(401, "session_missing", "There is no session, or it is over");
  private static final ProblemDetails UNCERTAIN = ProblemDetails.of(
      503,
      "session_uncertain",
      "The node cannot tell now whether the session goes on: Redis does not answer, or strangers ask too much");
  private static final ProblemDetails NOT_ENDED = ProblemDetails.of(
      503,
      "session_not_ended",
      "Redis does not answer: the session goes on. Sign out again when Redis is back");

  private final Vertx vertx;
  private final RedisSessions stored;
  private final Function<HttpServerRequest, Optional<String>> addresses;
  private final KnownSessions known;
  private final MissBudget strangers;
  private final SecureRandom random = new SecureRandom();

  /**
   * Sessions of a node.
   *
   * @param addresses the address of a request's caller
   * @param nanos a clock that is never moved back
   */
  public Sessions(
      Vertx vertx,
      RedisSessions stored,
      Function<HttpServerRequest, Optional<String>> addresses,
      LongSupplier nanos) {
    this.vertx = vertx;
    this.stored = stored;
    this.addresses = addresses;
    this.known = new KnownSessions(nanos);
    this.strangers = new MissBudget(nanos);
    SessionSecret.make(random).sealed("", random); // loads the cipher before an event loop needs it
  }

  /**
   * Begins a session of a token, which counts, and sets its cookie; the one before of the same browser ends. While Redis
   * does not answer, it is of this node alone, and short.
   *
   * @return what {@link #csrf} returns from now on
   */
  public Future<String> begin(HttpServerRequest request, String operator, String token) {
    SessionSecret secret = SessionSecret.make(random);
    StoredSession session = new StoredSession(operator, secret.sealed(token, random));
    String name = secret.name();
    Optional<String> before = SessionCookie.shown(request).map(SessionSecret::name);
    before.ifPresent(known::forget);
    return awaited(stored.put(name, session, before.orElse("")))
        .<Void>map(done -> {
          known.note(name, session);
          return null;
        })
        .recover(error -> {
          requireAway(error);
          known.noteOfNode(name, session);
          return Future.succeededFuture();
        })
        .map(begun -> {
          request.response().addCookie(SessionCookie.of(request, secret));
          return secret.csrf();
        });
  }

  /**
   * Ends the session of a request, if it has one, on all nodes, and removes its cookie. Fails with {@link
   * RefusedException} if another site's page may have sent it, if Redis does not answer, or if strangers ask too much: the
   * session goes on then, with its cookie, so that the request can be sent again.
   */
  public Future<Void> end(HttpServerRequest request) {
    Optional<SessionSecret> secret = SessionCookie.shown(request);
    secret.ifPresent(it -> requireOwnPage(request, it));
    return secret
        .map(it -> ended(request, it.name()))
        .orElseGet(Future::succeededFuture)
        .map(ended -> {
          secret.map(SessionSecret::name).ifPresent(known::forget);
          request.response().addCookie(SessionCookie.ended(request));
          return null;
        });
  }

  private Future<Void> ended(HttpServerRequest request, String name) {
    return charged(request, isMet(name), () -> stored.end(name)).recover(error -> {
      requireAway(error);
      return Future.failedFuture(new RefusedException(NOT_ENDED));
    });
  }

  /**
   * Gives a request that shows a session's cookie, and no token of its own, the session's token. The request must be one
   * for operators: it is not forwarded. Fails with {@link RefusedException} if the request may change something and could
   * be one of another site's page, or if Redis does not answer and the node has not met the session.
   */
  public Future<Void> admit(HttpServerRequest request) {
    Optional<SessionSecret> secret = SessionCookie.shown(request);
    if (secret.isEmpty() || KeyHeaders.bearer(request.headers()).isPresent()) {
      return Future.succeededFuture();
    }
    return token(request, secret.get()).map(token -> {
      token.ifPresent(it -> {
        requireOwnPage(request, secret.get());
        KeyHeaders.setBearer(request.headers(), it);
        request.headers().set(CSRF_HEADER, secret.get().csrf()); // it is one of the session
      });
      return null;
    });
  }

  /** The secret that a page must send with each change, in {@link #CSRF_HEADER}. Fails with {@link RefusedException} without a session. */
  public Future<String> csrf(HttpServerRequest request) {
    return open(request).map(SessionSecret::csrf);
  }

  /**
   * Completes if the session by which a request was admitted goes on, or it was admitted by a token of its own; fails with
   * {@link RefusedException} otherwise.
   */
  public Future<Void> requireOpen(HttpServerRequest request) {
    return SessionCookie.shown(request)
            .filter(secret -> showsCsrf(request, secret))
            .isEmpty()
        ? Future.succeededFuture()
        : open(request).mapEmpty();
  }

  /** The name of the session by which a request was admitted, which is no secret; empty for one with a token of its own. */
  public static Optional<String> name(HttpServerRequest request) {
    return SessionCookie.shown(request)
        .filter(secret -> showsCsrf(request, secret))
        .map(SessionSecret::name);
  }

  private Future<SessionSecret> open(HttpServerRequest request) {
    SessionSecret secret =
        SessionCookie.shown(request).orElseThrow(() -> new RefusedException(MISSING));
    return token(request, secret)
        .map(token -> token.map(it -> secret).orElseThrow(() -> new RefusedException(MISSING)));
  }

  private Future<Optional<String>> token(HttpServerRequest request, SessionSecret secret) {
    String name = secret.name();
    boolean isMet = isMet(name);
    return charged(request, isMet, () -> stored.look(name))
        .map(found -> {
          found.ifPresent(session -> {
            known.note(name, session);
            if (!isMet) {
              strangers.giveBack(address(request));
            }
          });
          return found.or(() -> known.findOfNode(name));
        })
        .recover(error -> {
          requireAway(error);
          return known.find(name).isPresent()
              ? Future.succeededFuture(known.find(name))
              : Future.failedFuture(new RefusedException(UNCERTAIN));
        })
        .map(session -> session.flatMap(it -> secret.opened(it.sealed())));
  }

  // A question that does not reach Redis costs the stranger nothing; one that is slow may still be
  // answered there.
  private <T> Future<T> charged(
      HttpServerRequest request, boolean isMet, Supplier<CompletionStage<T>> question) {
    if (isMet) {
      return awaited(question.get());
    }
    return strangers.tryTake(address(request))
        ? awaited(question.get()).onFailure(error -> {
          if (isUnreachable(error)) {
            strangers.giveBack(address(request));
          }
        })
        : Future.failedFuture(new RefusedException(UNCERTAIN));
  }

  private static boolean isUnreachable(Throwable error) {
    return Failures.cause(error) instanceof StoreUnavailableException away
        && away.fault() == StoreFault.UNREACHABLE;
  }

  private String address(HttpServerRequest request) {
    return addresses.apply(request).orElse(""); // of a socket without addresses
  }

  private boolean isMet(String name) {
    return known.find(name).isPresent();
  }

  private static void requireAway(Throwable error) {
    if (error instanceof RefusedException refused) {
      throw refused;
    }
    if (!(Failures.cause(error) instanceof StoreUnavailableException)) {
      throw new IllegalStateException("a session cannot be read or written", error);
    }
  }

  private <T> Future<T> awaited(CompletionStage<T> answer) {
    return Future.fromCompletionStage(answer, vertx.getOrCreateContext());
  }

  private static void requireOwnPage(HttpServerRequest request, SessionSecret secret) {
    String site = request.getHeader("Sec-Fetch-Site"); // browsers set it, and scripts cannot
    boolean isOfSite = site == null || OWN_SITE.contains(site);
    boolean isOfPage = SAFE.contains(request.method()) || showsCsrf(request, secret);
    if (!isOfSite || !isOfPage) {
      throw new RefusedException(CSRF);
    }
  }

  private static boolean showsCsrf(HttpServerRequest request, SessionSecret secret) {
    String shown = request.getHeader(CSRF_HEADER);
    return shown != null && MessageDigest.isEqual(bytes(shown), bytes(secret.csrf()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
