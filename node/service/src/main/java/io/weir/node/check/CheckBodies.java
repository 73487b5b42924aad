package io.weir.node.check;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.check.CheckRequest.BadCheckException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.Bulkhead.Portion;
import io.weir.node.intake.StrangersBodies;
import io.weir.node.intake.Upload;

/** Reads the bodies of checks, within the memory that is for them. Of one event loop. */
final class CheckBodies {
  private static final int MAX_BYTES = 1 << 20;
  /** Without a service token the caller is unknown until the whole body is read. */
  private static final int MAX_BYTES_OF_ANYBODY = 256 << 10;
  /** For each event loop. */
  private static final long MAX_BYTES_OF_STRANGERS = 8 << 20;

  // Parsing a longer body would block the event loop for too long.
  private static final int MAX_BYTES_HERE = 16 << 10;
  private static final String SERVICE = "(service)";
  private static final String ANYBODY = "(anybody)";

  private final Vertx vertx;
  private final Upload uploads;
  private final Bulkhead memory;
  private final StrangersBodies strangers = new StrangersBodies(MAX_BYTES_OF_STRANGERS);

  /** @param memory bytes of bodies */
  CheckBodies(Vertx vertx, Bulkhead memory) {
    this.vertx = vertx;
    this.uploads = new Upload(vertx);
    this.memory = memory;
  }

  /** That of a service. */
  Future<CheckRequest> ofService(HttpServerRequest request) {
    Portion bytes = memory.take(SERVICE, SERVICE);
    return uploads
        .whole(request, MAX_BYTES, bytes)
        .compose(this::parsed)
        .onComplete(read -> bytes.free());
  }

  /**
   * That of a caller that is not known yet. A short body is parsed as soon as it has arrived, and takes none of the node's
   * memory; a long one may have to wait for memory.
   */
  Future<CheckRequest> ofStranger(HttpServerRequest request) {
    return uploads.wholeOfStranger(request, MAX_BYTES_OF_ANYBODY, strangers).compose(body -> {
      if (body.length() <= MAX_BYTES_HERE) {
        return parsed(body);
      }
      Portion bytes = memory
          .tryTake(StrangersBodies.network(request), ANYBODY, body.length())
          .orElseThrow(Upload::noMemory);
      return parsed(body).onComplete(read -> bytes.free());
    });
  }

  private Future<CheckRequest> parsed(Buffer body) {
    return body.length() <= MAX_BYTES_HERE
        ? Future.succeededFuture(parse(body))
        : vertx.executeBlocking(() -> parse(body), false);
  }

  private static CheckRequest parse(Buffer body) {
    try {
      return CheckRequest.parse(body.getBytes());
    } catch (BadCheckException e) {
      throw new RefusedException(ProblemDetails.badRequest("check_invalid", e.mistakes()));
    }
  }
}
