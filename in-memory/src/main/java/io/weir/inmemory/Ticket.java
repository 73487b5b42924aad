package io.weir.inmemory;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.core.bucket.Bucket;
import io.weir.core.bucket.Demand;
import io.weir.core.bucket.Scope;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A ticket: {@code <slot>.<number>.<flags>.<signature>}. The signature is the begin of the SHA-1 of the key's secret
 * and of everything that the ticket is good for. {@code lua/lib/queue/ticket.lua} has the same.
 *
 * @param number which bit of its key says that it is unused; 0 if it holds no place and shows only that its holder waits
 * @param paid which of the pairs of a bucket and its overflow the overflow pays, as bits
 * @param isShared whether the place is held in buckets of the tenant and of the cluster, too
 */
record Ticket(long slot, long number, long paid, boolean isShared, String signature) {
  private static final int SIGNATURE_LENGTH = 20;
  private static final int SLOT_DIGITS = 16;
  private static final int BYTES_OF_KIND = 4;

  static Ticket parse(String text) {
    String[] parts = text.split("\\.", 4);
    long flags = Long.parseLong(parts[2]);
    return new Ticket(
        Long.parseLong(parts[0]), Long.parseLong(parts[1]), flags / 2, flags % 2 == 1, parts[3]);
  }

  static Ticket of(long slot, long number, long paid, boolean isShared) {
    return new Ticket(slot, number, paid, isShared, "");
  }

  Ticket signed(String secret, long cost, long mark) {
    return new Ticket(slot, number, paid, isShared, signature(secret, cost, mark));
  }

  /** Whether it was made with this secret, for a request of this cost and kind. */
  boolean isSigned(String secret, long cost, long mark) {
    return !secret.isEmpty() && signature.equals(signature(secret, cost, mark));
  }

  private String signature(String secret, long cost, long mark) {
    String text = secret + " " + slot + " " + number + " " + flags() + " " + cost + " " + mark;
    return HexFormat.of().formatHex(sha1(text)).substring(0, SIGNATURE_LENGTH);
  }

  private long flags() {
    return 2 * paid + (isShared ? 1 : 0);
  }

  String text() {
    String digits = Long.toString(slot);
    String padding = "0".repeat(Math.max(0, SLOT_DIGITS - digits.length()));
    return padding + digits + "." + number + "." + flags() + "." + signature;
  }

  /** A number that stands for these demands. */
  static long kind(List<Demand> demands) {
    String text = demands.stream().map(Ticket::words).collect(Collectors.joining(" "));
    return Integer.toUnsignedLong(ByteBuffer.wrap(sha1(text), 0, BYTES_OF_KIND).getInt());
  }

  private static String words(Demand demand) {
    Bucket bucket = demand.bucket();
    return codeOf(bucket.scope()) + ":" + bucket.name() + "@" + bucket.rate() + ":"
        + demand.unitsPerOperation() + (demand.perRequest() ? "r" : "");
  }

  private static int codeOf(Scope scope) {
    return switch (scope) {
      case KEY -> 1;
      case TENANT -> 2;
      case CLUSTER -> 3;
    };
  }

  private static byte[] sha1(String text) {
    try {
      return MessageDigest.getInstance("SHA-1").digest(text.getBytes(US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
