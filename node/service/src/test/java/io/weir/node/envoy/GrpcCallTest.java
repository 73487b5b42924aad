package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.node.envoy.BodyBudget.NetworkBudget;
import io.weir.node.envoy.GrpcCall.Arriving;
import io.weir.node.envoy.GrpcCall.Bounds;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A call whose message does not end. */
final class GrpcCallTest {
  private final BodyBudget budget = new BodyBudget(100);
  private final NetworkBudget share = budget.open("10.0.0.1");
  private final Arriving arriving = new Arriving();
  private final MultiMap headers = MultiMap.caseInsensitiveMultiMap();
  private Handler<Buffer> body = bytes -> {};
  private Handler<Void> end = ended -> {};

  @Test
  void aMessageThatDoesNotArriveGivesItsMemoryBack() {
    GrpcCall.serve(
        request(),
        new Bounds(50, share),
        arriving,
        (message, deadline) -> Future.failedFuture("is not asked"));
    body.handle(Buffer.buffer(new byte[50]));
    assertThat(share.tryTake(1)).isFalse();
    arriving.check(System.nanoTime() + Duration.ofSeconds(29).toNanos());
    assertThat(share.tryTake(1)).isFalse();
    arriving.check(System.nanoTime() + Duration.ofSeconds(31).toNanos());
    assertThat(headers.get("grpc-status")).isEqualTo("4");
    assertThat(share.tryTake(50)).isTrue();
  }

  @Test
  void aMessageThatHasArrivedIsNotLate() {
    GrpcCall.serve(
        request(),
        new Bounds(50, share),
        arriving,
        (message, deadline) -> Future.succeededFuture(Buffer.buffer()));
    body.handle(Buffer.buffer(new byte[GrpcAnswer.PREFIX_BYTES]));
    end.handle(null);
    arriving.check(System.nanoTime() + Duration.ofMinutes(1).toNanos());
    assertThat(headers.get("grpc-status")).isNull();
    assertThat(share.tryTake(50)).isTrue();
  }

  private HttpServerRequest request() {
    return fake(HttpServerRequest.class, (self, method, arguments) -> switch (method.getName()) {
      case "handler" -> {
        body = handler(arguments[0]);
        yield self;
      }
      case "endHandler" -> {
        end = handler(arguments[0]);
        yield self;
      }
      case "exceptionHandler" -> self;
      case "response" -> response();
      default -> null;
    });
  }

  private HttpServerResponse response() {
    return fake(HttpServerResponse.class, (self, method, arguments) -> switch (method.getName()) {
      case "headers" -> headers;
      case "trailers" -> MultiMap.caseInsensitiveMultiMap();
      case "headWritten" -> false;
      case "end" -> Future.succeededFuture();
      default -> throw new UnsupportedOperationException(method.getName());
    });
  }

  @SuppressWarnings("unchecked")
  private static <T> Handler<T> handler(Object given) {
    return (Handler<T>) given;
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
