package io.weir.node.provider;

import io.vertx.core.MultiMap;
import io.vertx.core.json.DecodeException;
import io.weir.node.json.JsonInput;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a provider's load from the header {@code endpoint-load-metrics} of the Open Request Cost Aggregation (ORCA, of
 * the xDS protocol), as text, JSON or Protocol Buffers in base64 (there also with {@code -bin}): the utilization of the
 * application, otherwise that of the processor.
 */
final class LoadReport {
  private static final String HEADER = "endpoint-load-metrics";
  private static final int MAX_LENGTH = 4096;
  private static final int THOUSAND = 1000;
  private static final String JSON = "JSON ";
  private static final String TEXT = "TEXT ";
  private static final String BINARY = "BIN ";
  private static final int CPU_FIELD = 1;
  private static final int APPLICATION_FIELD = 9;
  private static final int DOUBLE = 1;

  private LoadReport() {}

  /** The utilization in thousandths, at most 1000; -1 if it is not reported. */
  static int thousandths(MultiMap headers) {
    String packed = headers.get(HEADER + "-bin");
    String report = packed == null ? headers.get(HEADER) : BINARY + packed;
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
    if (report.startsWith(BINARY)) {
      int field = name.equals("cpu_utilization") ? CPU_FIELD : APPLICATION_FIELD;
      return ofBinary(report.substring(BINARY.length()), field);
    }
    if (report.startsWith(JSON)) {
      return ofJson(report.substring(JSON.length()), name);
    }
    Matcher found = Pattern.compile("(?:^|[ ,])" + name + "=([0-9]{1,3}(?:\\.[0-9]{1,15})?)(?:,|$)")
        .matcher(report.startsWith(TEXT) ? report.substring(TEXT.length()) : report);
    return found.find()
        ? OptionalDouble.of(Double.parseDouble(found.group(1)))
        : OptionalDouble.empty();
  }

  // The message OrcaLoadReport in the wire format of Protocol Buffers: doubles are of type 1.
  private static OptionalDouble ofBinary(String base64, int field) {
    try {
      ByteBuffer bytes =
          ByteBuffer.wrap(Base64.getDecoder().decode(base64)).order(ByteOrder.LITTLE_ENDIAN);
      while (bytes.hasRemaining()) {
        long tag = varint(bytes);
        int type = (int) (tag & 7);
        if (type == DOUBLE && tag >>> 3 == field) {
          double value = bytes.getDouble();
          return Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
        }
        if (type == 0) {
          varint(bytes);
          continue;
        }
        long skipped = switch (type) {
          case DOUBLE -> 8;
          case 2 -> varint(bytes);
          case 5 -> 4;
          default -> -1;
        };
        if (skipped < 0 || skipped > bytes.remaining()) {
          return OptionalDouble.empty();
        }
        bytes.position(bytes.position() + (int) skipped);
      }
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.empty();
  }

  private static long varint(ByteBuffer bytes) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = bytes.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
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
