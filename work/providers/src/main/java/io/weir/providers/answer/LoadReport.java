package io.weir.providers.answer;

import io.vertx.core.MultiMap;
import io.vertx.core.json.DecodeException;
import io.weir.node.json.JsonInput;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a provider's load from the header {@code endpoint-load-metrics} of the Open Request Cost Aggregation (ORCA, of
 * the xDS protocol), as text or JSON: the utilization of the application, otherwise that of the processor. The binary
 * form, which gRPC servers send, counts as no report.
 */
final class LoadReport {
  private static final String HEADER = "endpoint-load-metrics";
  private static final int MAX_LENGTH = 4096;
  private static final int THOUSAND = 1000;
  private static final String JSON = "JSON ";
  private static final String TEXT = "TEXT ";

  private LoadReport() {}

  /** The utilization in thousandths, at most 1000; -1 if it is not reported. */
  static int thousandths(MultiMap headers) {
    String report = headers.get(HEADER);
    if (report == null || report.length() > MAX_LENGTH) {
      return -1;
    }
    OptionalDouble application = number(report, "application_utilization");
    OptionalDouble known = application.isPresent() && application.getAsDouble() > 0
        ? application
        : number(report, "cpu_utilization");
    return known.isPresent() && known.getAsDouble() >= 0
        ? (int) Math.min(THOUSAND, Math.round(known.getAsDouble() * THOUSAND))
        : -1;
  }

  private static OptionalDouble number(String report, String name) {
    return report.startsWith(JSON)
        ? ofJson(report.substring(JSON.length()), name)
        : ofText(report.startsWith(TEXT) ? report.substring(TEXT.length()) : report, name);
  }

  private static OptionalDouble ofText(String text, String name) {
    Matcher found = Pattern.compile("(?:^|[ ,])" + name + "=([0-9]{1,3}(?:\\.[0-9]{1,15})?)(?:,|$)")
        .matcher(text);
    return found.find()
        ? OptionalDouble.of(Double.parseDouble(found.group(1)))
        : OptionalDouble.empty();
  }

  private static OptionalDouble ofJson(String json, String name) {
    try {
      return JsonInput.object(json).getValue(name) instanceof Number number
          ? OptionalDouble.of(number.doubleValue())
          : OptionalDouble.empty();
    } catch (DecodeException e) {
      return OptionalDouble.empty();
    }
  }
}
