package io.weir.node.envoy;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The health service of gRPC, for load balancers.
 *
 * @param services that can be asked for by name
 * @param isStopping whether the node stops
 */
record HealthService(Set<String> services, BooleanSupplier isStopping) {
  private static final int SERVING = 1;
  private static final int NOT_SERVING = 2;
  private static final int MOST_NAME = 256;

  /** The health of a service; without a name, that of the node as a whole. */
  Future<Buffer> answer(Buffer message) {
    MessageReader reader = MessageReader.of(message);
    String service = "";
    while (reader.hasNext()) {
      if (reader.field() == 1) {
        service = reader.text(MOST_NAME, "service");
      } else {
        reader.skip();
      }
    }
    if (!service.isEmpty() && !services.contains(service)) {
      return Future.failedFuture(new GrpcException(GrpcStatus.NOT_FOUND, "no such service"));
    }
    int status = isStopping.getAsBoolean() ? NOT_SERVING : SERVING;
    return Future.succeededFuture(new MessageWriter().add(1, status).bytes());
  }
}
