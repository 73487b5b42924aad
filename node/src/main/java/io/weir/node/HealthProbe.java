package io.weir.node;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/**
 * Asks a URL once, for container health checks: exits with 0 where the answer is 200, else with 1. A program of its
 * own that loads next to nothing, because it runs every few seconds.
 */
public final class HealthProbe {
  private static final String READY = "http://127.0.0.1:9080/health/ready";
  private static final int TIMEOUT_MILLIS = 2000;

  private HealthProbe() {}

  /**
   * Asks, and exits.
   *
   * @param arguments the URL; without one, whether the node with its admin port 9080 is ready
   */
  public static void main(String[] arguments) {
    System.exit(isHealthy(arguments.length == 0 ? READY : arguments[0]) ? 0 : 1);
  }

  static boolean isHealthy(String url) {
    try {
      HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (IOException e) {
      return false; // whatever the reason, it is not healthy; its own log tells more
    }
  }
}
