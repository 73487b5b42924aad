package io.weir.state.testing;

import io.weir.state.connection.RedisConnections;
import io.weir.testkit.RedisDatabase;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives the set-up of a test an empty {@link RedisDatabase} and {@link RedisConnections} to it, as parameters. Those of
 * {@code @BeforeAll} are closed after the class, those of {@code @BeforeEach} after the test.
 */
public final class RedisFixture implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(RedisFixture.class);
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private record Opened(RedisDatabase database, RedisConnections connections)
      implements AutoCloseable {
    static Opened now() {
      RedisDatabase database = RedisDatabase.open();
      return new Opened(database, RedisConnections.open(database.uri(), TIMEOUT));
    }

    @Override
    public void close() {
      connections.close();
      database.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == RedisConnections.class || type == RedisDatabase.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Opened opened = context
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(Opened.class, type -> Opened.now(), Opened.class);
    boolean isDatabase = parameter.getParameter().getType() == RedisDatabase.class;
    return isDatabase ? opened.database() : opened.connections();
  }
}
