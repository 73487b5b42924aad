package io.weir.benchmarks;

import io.lettuce.core.api.async.RedisAsyncCommands;
import io.weir.state.redis.RedisConnections;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/** One that sends commands over a Lettuce connection of its own, set up as Weir's is. */
record RedisContender(
    String name,
    RedisConnections connections,
    BiFunction<RedisAsyncCommands<String, String>, Integer, CompletionStage<Boolean>> question)
    implements Contender {

  @Override
  public CompletionStage<Boolean> ask(int subject) {
    return question.apply(connections.connection().async(), subject);
  }

  @Override
  public void close() {
    connections.close();
  }
}
