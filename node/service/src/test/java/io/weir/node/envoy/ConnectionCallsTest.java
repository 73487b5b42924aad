package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.weir.node.intake.WorkRounds;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections that send many calls in one iteration of their event loop. */
@Tag("isolation")
final class ConnectionCallsTest {
  private static final int MANY = 100;

  private final Queue<Runnable> nextIteration = new ArrayDeque<>();
  private final WorkRounds rounds = new WorkRounds(nextIteration::add);
  private final List<String> served = new ArrayList<>();
  private final Map<String, Handler<Throwable>> resets = new HashMap<>();
  private final ConnectionCalls hostile = new ConnectionCalls(rounds, this::serve);

  @Test
  void fewCallsOfAConnectionAreServedBeforeThoseOfOthers() {
    ConnectionCalls other = new ConnectionCalls(rounds, this::serve);
    IntStream.range(0, MANY).forEach(call -> hostile.serve(call("hostile " + call)));
    assertThat(served).hasSize(ConnectionCalls.AT_ONCE);
    other.serve(call("other"));
    assertThat(served).last().isEqualTo("other");
    served.remove("other");
    while (!nextIteration.isEmpty()) {
      int before = served.size();
      nextIteration.remove().run();
      assertThat(served.size() - before).isLessThanOrEqualTo(ConnectionCalls.AT_ONCE);
    }
    assertThat(served)
        .containsExactlyElementsOf(
            IntStream.range(0, MANY).mapToObj(call -> "hostile " + call).toList());
  }

  @Test
  void aCallThatIsResetWhileItWaitsIsNotServed() {
    IntStream.range(0, MANY).forEach(call -> hostile.serve(call("call " + call)));
    List.copyOf(resets.values()).forEach(handler -> handler.handle(new IllegalStateException()));
    while (!nextIteration.isEmpty()) {
      nextIteration.remove().run();
    }
    assertThat(served).hasSize(ConnectionCalls.AT_ONCE);
  }

  private void serve(HttpServerRequest request) {
    served.add(request.path());
  }

  @SuppressWarnings("unchecked")
  private HttpServerRequest call(String name) {
    return (HttpServerRequest) Proxy.newProxyInstance(
        HttpServerRequest.class.getClassLoader(),
        new Class<?>[] {HttpServerRequest.class},
        (self, method, arguments) -> switch (method.getName()) {
          case "path" -> name;
          case "exceptionHandler" -> {
            resets.put(name, (Handler<Throwable>) arguments[0]);
            yield self;
          }
          case "hashCode" -> System.identityHashCode(self);
          case "equals" -> self == arguments[0];
          default -> self;
        });
  }
}
