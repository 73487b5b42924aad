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
 * @param paid which of the pairs of a bucket and its overflow the overflow pays, as bits; of one without a place which
 *     buckets had no room for its holder, or 0 for all
 * @param isShared whether the place is held in buckets of the tenant and of the cluster, too
 */
record Ticket(long slot, long number, long paid, boolean isShared, String signature) {
  private static final int SIGNATURE_LENGTH = 20;
  private static final int SLOT_DIGITS = 16;
  private static final int BYTES_OF_KIND = 4;

  /** The buckets that one without a place tells apart. */
  private static final int MOST_NAMED = 32;

  static Ticket parse(String text) {
    String[] parts = text.split("\\.", 4);
    long flags = Long.parseLong(parts[2]);
    return new Ticket(
        Long.parseLong(parts[0]), Long.parseLong(parts[1]), flags / 2, flags % 2 == 1, parts[3]);
  }

  static Ticket of(long slot, long number, long paid, boolean isShared) {
    return new Ticket(slot, number, paid, isShared, "");
  }

  /**
   * One without a place.
   *
   * @param refused which buckets had no room for its holder, in their order
   */
  static Ticket waiting(long slot, List<Boolean> refused) {
    long bits = 0;
    for (int i = 0; i < Math.min(refused.size(), MOST_NAMED); i++) {
      bits |= refused.get(i) ? 1L << i : 0;
    }
    return of(slot, 0, refused.contains(false) ? bits : 0, false);
  }

  /** Whether its holder waits for a bucket, by its place in their order. */
  boolean isFor(int bucket) {
    return number > 0 || paid == 0 || bucket >= MOST_NAMED || (paid >> bucket & 1) == 1;
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
