package io.weir.spring.call;

import io.weir.core.decision.Decision;
import io.weir.library.Hold;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Calls of methods that return publishers: nothing is taken until somebody subscribes. */
final class ReactiveCalls {
  private ReactiveCalls() {}

  /** A method call. */
  interface Running {
    @Nullable
    Object run() throws Throwable;
  }

  static Object limited(
      ReactiveAdapter adapter, Supplier<CompletableFuture<Decision>> taken, Running call) {
    Mono<Decision> allowed = Mono.fromFuture(taken).publishOn(Schedulers.parallel());
    Publisher<Object> limited = adapter.isMultiValue()
        ? allowed.flatMapMany(decision -> published(adapter, call))
        : allowed.flatMap(decision -> Mono.from(published(adapter, call)));
    return adapter.fromPublisher(limited);
  }

  // Cancelling during the decision does not cancel the decision: its hold is closed as soon as it
  // is there.
  static Object permitted(
      ReactiveAdapter adapter, Supplier<CompletableFuture<Hold>> entered, Running call) {
    Flux<Object> held = Flux.defer(() -> {
      CompletableFuture<Hold> asked = entered.get();
      return Mono.fromFuture(asked, true)
          .publishOn(Schedulers.parallel())
          .flatMapMany(hold -> published(adapter, call))
          .doOnTerminate(() -> close(asked))
          .doOnCancel(() -> close(asked));
    });
    return adapter.fromPublisher(adapter.isMultiValue() ? held : held.next());
  }

  private static void close(CompletableFuture<Hold> asked) {
    CompletableFuture<Void> unused = asked.thenAccept(Hold::close);
  }

  private static Publisher<Object> published(ReactiveAdapter adapter, Running call) {
    try {
      return adapter.toPublisher(call.run());
    } catch (Throwable e) {
      return Mono.error(e);
    }
  }
}
