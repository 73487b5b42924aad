package io.weir.keys.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;

/** The context of the caller of a directory, on which its futures complete. */
final class CallerContext {
  private static final Future<Boolean> FRESH = Future.succeededFuture(true);

  private CallerContext() {}

  static <T> Future<T> await(CompletableFuture<T> stage) {
    var context = Vertx.currentContext();
    return context == null
        ? Future.fromCompletionStage(stage)
        : Future.fromCompletionStage(stage, context);
  }

  /** Completes with whether the knowledge of a feed is fresh; if it is not, after looking. */
  static Future<Boolean> afterLooking(Feed feed) {
    return feed.isFresh() ? FRESH : await(feed.afterLooking());
  }
}
