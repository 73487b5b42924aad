package io.weir.node.envoy;

/** The statuses of gRPC that a node answers. */
enum GrpcStatus {
  OK(0),
  INVALID_ARGUMENT(3),
  DEADLINE_EXCEEDED(4),
  NOT_FOUND(5),
  RESOURCE_EXHAUSTED(8),
  UNIMPLEMENTED(12),
  INTERNAL(13),
  UNAVAILABLE(14),
  UNAUTHENTICATED(16);

  private final String code;

  GrpcStatus(int code) {
    this.code = Integer.toString(code);
  }

  /** Its number, as in the trailer {@code grpc-status}. */
  String code() {
    return code;
  }
}
