package io.weir.node.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.node.auth.TokenGuard;

/** Whether the client of a connection has shown the service token. Mutable; owned by its connection. */
final class ShownToken {
  private static final int MOST_WRONG = 3;
  private static final int MOST_COMMANDS_BEFORE = 100;
  private static final String NO_TOKEN = "NOAUTH Authentication required.";

  private final TokenGuard services;
  private final Runnable shown;
  private int wrong;
  private int commands; // before it was shown
  private boolean isShown;

  /**
   * @param services admit the token
   * @param shown called when it is shown
   */
  ShownToken(TokenGuard services, Runnable shown) {
    this.services = services;
    this.shown = shown;
  }

  /** Whether it was shown. */
  boolean isShown() {
    return isShown;
  }

  /** Counts a command; throws {@link RespException} if there were too many without the token. */
  void count() {
    if (!isShown && commands++ == MOST_COMMANDS_BEFORE) {
      throw RespException.last(NO_TOKEN);
    }
  }

  /** Throws {@link RespException} if it was not shown. */
  void require() {
    if (!isShown) {
      throw RespException.of(NO_TOKEN);
    }
  }

  /** The client shows a token; throws {@link RespException} if it is another one. */
  void show(String token) {
    if (!services.admits(new String(token.getBytes(ISO_8859_1), UTF_8))) {
      wrong++;
      String error = "WRONGPASS this is not the service token";
      throw wrong < MOST_WRONG ? RespException.of(error) : RespException.last(error);
    }
    if (!isShown) {
      isShown = true;
      shown.run();
    }
  }
}
