package io.weir.spring.call;

import io.weir.core.decision.Decision;
import io.weir.library.Permit;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls of methods that return publishers: nothing is taken until somebody subscribes. */
final class ReactiveCalls {
  private ReactiveCalls() {}

  /** A method call. */
  interface Running {
    @Nullable
    Object run() throws Throwable;
  }

  static Object limited(
      ReactiveAdapter adapter, Supplier<CompletionStage<Decision>> taken, Running call) {
    Mono<Decision> allowed = Mono.fromCompletionStage(taken);
    Publisher<Object> limited = adapter.isMultiValue()
        ? allowed.flatMapMany(decision -> published(adapter, call))
        : allowed.flatMap(decision -> Mono.from(published(adapter, call)));
    return adapter.fromPublisher(limited);
  }

  static Object permitted(
      ReactiveAdapter adapter, Supplier<CompletionStage<Permit>> entered, Running call) {
    Publisher<Object> held = adapter.isMultiValue()
        ? Flux.usingWhen(
            Mono.fromCompletionStage(entered),
            permit -> published(adapter, call),
            permit -> Mono.fromRunnable(permit::close))
        : Mono.usingWhen(
            Mono.fromCompletionStage(entered),
            permit -> Mono.from(published(adapter, call)),
            permit -> Mono.fromRunnable(permit::close));
    return adapter.fromPublisher(held);
  }

  private static Publisher<Object> published(ReactiveAdapter adapter, Running call) {
    try {
      return adapter.toPublisher(call.run());
    } catch (Throwable e) {
      return Mono.error(e);
    }
  }
}
