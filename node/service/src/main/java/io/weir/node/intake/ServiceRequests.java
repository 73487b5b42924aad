package io.weir.node.intake;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.RefusedException;
import io.weir.node.auth.ServiceGuard;
import io.weir.node.intake.Bulkhead.Portion;

/** Reads small requests of services, which carry the service token. Mutable; owned by one event loop. */
public final class ServiceRequests {
  private static final String SERVICE = "(service)";
  private static final int MAX_BYTES = 8 << 10;

  private final Upload uploads;
  private final ServiceGuard services;
  private final Bulkhead memory;

  /** @param memory bytes of bodies */
  public ServiceRequests(Vertx vertx, ServiceGuard services, Bulkhead memory) {
    this.uploads = new Upload(vertx);
    this.services = services;
    this.memory = memory;
  }

  /** Throws {@link RefusedException} if the request does not carry the token. */
  public void admit(HttpServerRequest request) {
    if (!services.admits(request.headers())) {
      throw new RefusedException(services.refusal(request.headers()));
    }
  }

  /** The same, after {@code POST} is required. */
  public void admitPost(HttpServerRequest request) {
    if (!HttpMethod.POST.equals(request.method())) {
      throw RefusedException.methodNotAllowed("POST");
    }
    admit(request);
  }

  /** The body; an empty one is an empty object. Fails with {@link RefusedException} if it is too long. */
  public Future<Buffer> body(HttpServerRequest request) {
    return body(request, MAX_BYTES);
  }

  /** The same, with another bound. */
  public Future<Buffer> body(HttpServerRequest request, int maxBytes) {
    Portion bytes = memory.take(SERVICE, SERVICE);
    return uploads
        .whole(request, maxBytes, bytes)
        .onComplete(read -> bytes.free())
        .map(body -> body.length() == 0 ? Buffer.buffer("{}") : body);
  }
}
