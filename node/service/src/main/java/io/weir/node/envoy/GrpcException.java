package io.weir.node.envoy;

/** A call that is answered by an error. */
final class GrpcException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final GrpcStatus status;

  GrpcException(GrpcStatus status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** The message of a caller that cannot be understood, or asks for what is not there. */
  static GrpcException invalid(String message) {
    return new GrpcException(GrpcStatus.INVALID_ARGUMENT, message);
  }

  GrpcStatus status() {
    return status;
  }
}
