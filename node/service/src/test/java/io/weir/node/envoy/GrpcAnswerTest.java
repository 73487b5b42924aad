package io.weir.node.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.throttle.HoldNeededException;
import io.weir.node.answer.ProblemDetails;
import io.weir.node.answer.RefusedException;
import org.junit.jupiter.api.Test;

/** The statuses of calls that fail. */
final class GrpcAnswerTest {
  @Test
  void aSubjectThatCannotBeLookedUpIsUnavailableWithItsReason() {
    GrpcException refusal = GrpcAnswer.refusal(new RefusedException(ProblemDetails.unavailable()));
    assertThat(refusal.status()).isEqualTo(GrpcStatus.UNAVAILABLE);
    assertThat(refusal).hasMessage(ProblemDetails.unavailable().code());
  }

  @Test
  void anOperationThatTakesPermitsIsNoArgument() {
    GrpcException refusal = GrpcAnswer.refusal(new HoldNeededException("Export"));
    assertThat(refusal.status()).isEqualTo(GrpcStatus.INVALID_ARGUMENT);
  }

  @Test
  void anythingElseIsAnErrorOfTheNode() {
    GrpcException refusal = GrpcAnswer.refusal(new IllegalStateException("a defect"));
    assertThat(refusal.status()).isEqualTo(GrpcStatus.INTERNAL);
    assertThat(refusal.getMessage()).doesNotContain("a defect");
  }
}
