package io.weir.client.check;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A check without an answer. */
public final class CheckException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The code of checks that no node decided. */
  public static final String UNDECIDED = "undecided";

  private final String code;

  CheckException(String code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /**
   * {@value #UNDECIDED}, or the code of the node's refusal: {@code key_invalid} (the key is not known), {@code
   * subject_unknown}, {@code service_token_invalid} (it is wrong or missing), {@code service_token_needed} (the token of an
   * operator was sent instead), {@code reservation_needed}, {@code check_invalid}.
   */
  public String code() {
    return code;
  }
}
