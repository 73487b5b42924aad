package io.weir.node.upstream;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.weir.core.policy.Destination;
import io.weir.core.policy.Upstream;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** SendSlots at a destination with one server and no keys: each request has its turn at once, and nothing is learned. */
final class PlainSendSlots implements SendSlots {
  @Override
  public Course begin(OutgoingRequest request) {
    return new PlainCourse(request.target().to());
  }

  private record PlainCourse(Destination to) implements Course {
    @Override
    public Future<SendSlot> next(
        BooleanSupplier isRepeatable, long deadlineNanos, BooleanSupplier isGone) {
      return Future.succeededFuture(new PlainSendSlot(to.settings()));
    }

    @Override
    public boolean hasAnother() {
      return false;
    }

    @Override
    public boolean tryPay() {
      return false;
    }

    @Override
    public void again(long waitMillis) {}

    @Override
    public void answered() {}

    @Override
    public void failed(NotRetried why) {}

    @Override
    public void refused(String code) {}

    @Override
    public void cancelled() {}
  }

  private record PlainSendSlot(Upstream server) implements SendSlot {
    @Override
    public String place() {
      return "";
    }

    @Override
    public MultiMap headers(RequestHeaders headers) {
      return headers.own(server);
    }

    @Override
    public boolean isFree() {
      return false;
    }

    @Override
    public boolean readsBody(int status) {
      return false;
    }

    @Override
    public AttemptOutcome judge(int status, MultiMap headers, Optional<Buffer> body) {
      return AttemptOutcome.unknown();
    }

    @Override
    public AttemptOutcome hungUp(long sentNanos) {
      return AttemptOutcome.unknown();
    }

    @Override
    public AttemptOutcome overtaken(long sentNanos) {
      return AttemptOutcome.unknown();
    }

    @Override
    public void end(AttemptOutcome outcome, long tookNanos) {}
  }
}
