package io.weir.node.admin;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import io.weir.node.intake.Bulkhead;
import io.weir.node.intake.RoutedRequest;
import io.weir.node.intake.Upload;
import io.weir.node.json.JsonInput;
import java.util.List;
import java.util.function.Function;

/** Reads the bodies of requests of operators. For one event loop. */
public final class OperatorBodies {
  private static final String OPERATOR = "(operator)";
  // Parsing a longer body would block the event loop for too long.
  private static final int MAX_BYTES_HERE = 16 << 10;

  private final Vertx vertx;
  private final Upload uploads;
  private final Bulkhead memory;

  /** @param memory bytes of bodies */
  public OperatorBodies(Vertx vertx, Bulkhead memory) {
    this.vertx = vertx;
    this.uploads = new Upload(vertx);
    this.memory = memory;
  }

  /** The body as it is. */
  public Future<Buffer> bytes(RoutedRequest request, int maxBytes) {
    Bulkhead.Portion bytes = memory.take(OPERATOR, OPERATOR);
    return uploads.whole(request.http(), maxBytes, bytes).onComplete(read -> bytes.free());
  }

  /**
   * The body as an object; an empty one is an empty object.
   *
   * @param code of the refusal of a body that is no object
   */
  public Future<JsonObject> object(RoutedRequest request, int maxBytes, String code) {
    return object(request, maxBytes, code, Future::succeededFuture);
  }

  /**
   * The same for a body that takes memory for longer: until {@code work} on it ends.
   *
   * @return completes as the work does
   */
  public <T> Future<T> object(
      RoutedRequest request, int maxBytes, String code, Function<JsonObject, Future<T>> work) {
    Bulkhead.Portion bytes = memory.take(OPERATOR, OPERATOR);
    return uploads
        .whole(request.http(), maxBytes, bytes)
        .compose(body -> body.length() <= MAX_BYTES_HERE
            ? Future.succeededFuture(parsed(body, code))
            : vertx.executeBlocking(() -> parsed(body, code), false))
        .compose(work)
        .onComplete(read -> bytes.free());
  }

  private static JsonObject parsed(Buffer body, String code) {
    try {
      return body.length() == 0 ? new JsonObject() : JsonInput.object(body);
    } catch (DecodeException e) {
      throw invalid(code, List.of(JsonInput.mistake(e.getMessage())));
    }
  }

  /** The refusal of a body that is understood and wrong, with all mistakes. */
  public static RefusedException invalid(String code, List<String> mistakes) {
    return new RefusedException(ProblemDetails.of(422, code, "The request cannot be carried out")
        .with("errors", new JsonArray(mistakes)));
  }
}
