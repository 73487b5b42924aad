package io.weir.node.envoy.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.state.document.PolicyDocuments;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The configuration of another limiter: what its descriptors have here is what they have there. */
final class ImportedFilesTest {
  private static final String FILE = """
      domain: shop
      descriptors:
        - key: account
          value: silver
          descriptors:
            - key: route
              rate_limit: { unit: second, requests_per_unit: 5 }
            - key: route
              value: "pay"
              rate_limit: { unit: MINUTE, requests_per_unit: 10, name: pay, replaces: [{ name: any_address }] }
        - key: address
          rate_limit: { unit: hour, requests_per_unit: 20, name: any_address }
        - key: address
          value: 10.0.0.1
          rate_limit: { unlimited: true }
        - key: address
          value: 10.0.0.2
        - key: file
          value: "img/*"
          share_threshold: true
          rate_limit: { unit: day, requests_per_unit: 30 }
        - key: tried
          shadow_mode: true
          rate_limit: { unit: week, requests_per_unit: 40 }
          descriptors:
            - key: more
              rate_limit: { unit: year, requests_per_unit: 0 }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "account=silver,route=x | 5 SECOND",
        "account=silver,route=pay | 10 MINUTE",
        "account=silver | none",
        "account=gold,route=x | none",
        "address=1.1.1.1 | 20 HOUR",
        "address=10.0.0.1 | unlimited",
        "address=10.0.0.2 | unlimited",
        "file=img/a | 30 DAY",
        "file=css/a | none",
        "tried=1 | 40 WEEK",
        "tried=1,more=2 | 0 YEAR",
        "tried=1,less=2 | none"
      })
  void descriptorsHaveTheSameLimits(String descriptor, String expected) {
    ImportedFiles imported = imported(FILE);
    assertThat(imported.errors()).isEmpty();
    assertThat(imported.notes()).isEmpty();
    assertThat(rule(imported, descriptor)
            .map(rule -> rule.counting()
                .limit()
                .map(limit -> limit.requests() + " " + limit.unit())
                .orElse("unlimited"))
            .orElse("none"))
        .isEqualTo(expected);
  }

  @Test
  void namesSharingAndAuditModeCome() {
    ImportedFiles imported = imported(FILE);
    EnvoyRule pay = rule(imported, "account=silver,route=pay").orElseThrow();
    assertThat(pay.name()).isEqualTo("pay");
    assertThat(pay.replaces()).containsExactly("any_address");
    assertThat(rule(imported, "tried=1").orElseThrow().counting().options())
        .containsExactly(RuleOption.AUDIT);
    assertThat(rule(imported, "file=img/a").orElseThrow().match().get(0).shared())
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "descriptors: [] | shop.yaml:1: domain ''",
        "domain: 'a b' | shop.yaml:1: domain 'a b'",
        "domain: a, colour: b | shop.yaml:1: no such field: 'colour'",
        "domain: a, descriptors: [b] | shop.yaml:1: the text 'b' in descriptors",
        "domain: a, descriptors: [{ value: b }] | shop.yaml:1: a descriptor without a key",
        "domain: a, descriptors: [{ key: b, ratelimit: { } }] | shop.yaml:1: no such field: 'ratelimit'",
        "domain: a, descriptors: [{ key: b }, { key: b }] | shop.yaml:1: another descriptor beside it",
        "domain: a, descriptors: [{ key: b, rate_limit: { unit: aeon, requests_per_unit: 1 } }] | shop.yaml:1: unit 'aeon'",
        "domain: a, descriptors: [{ key: b, rate_limit: { requests_per_unit: 1 } }] | shop.yaml:1: unit ''",
        "domain: a, descriptors: [{ key: b, rate_limit: { unit: day, unlimited: true } }] | shop.yaml:1: a unit beside unlimited",
        "domain: a, descriptors: [{ key: b, rate_limit: { unit: day, requests_per_unit: -1 } }] | shop.yaml:1: requests_per_unit: -1",
        "domain: a, descriptors: [{ key: b, rate_limit: { unit: day, unit_multiplier: 0 } }] | shop.yaml:1: unit_multiplier: 0",
        "domain: a, descriptors: [{ key: b, rate_limit: { unit: day, unit_multiplier: 5 } }] | shop.yaml:1: unit_multiplier: 5",
        "domain: a, descriptors: [{ key: b, rate_limit: { unit: day, name: c, replaces: [{ name: c }] } }] | shop.yaml:1: replaces 'c'",
        "domain: a, descriptors: [{ key: b, rate_limit: { unit: day, replaces: [{ }] } }] | shop.yaml:1: replaces ''"
      })
  void whatTheServiceRefusesIsRefused(String fields, String error) {
    assertThat(imported("--- {" + fields + "}").errors()).anyMatch(text -> text.startsWith(error));
  }

  @Test
  void aDomainIsInOneFile() {
    ImportedFiles imported = imported(FILE);
    imported.add("other.yaml", PolicyDocuments.document("other.yaml", FILE));
    assertThat(imported.errors())
        .containsExactly("other.yaml:1: domain 'shop' is in another file already");
  }

  @Test
  void whatHasNoCounterpartIsListedWithItsLine() {
    ImportedFiles imported = imported("""
        domain: shop.eu
        descriptors:
          - key: a
            detailed_metric: true
            metadata: { name: x }
            rate_limit: { unit: day, requests_per_unit: 1, replaces: [{ name: nobody }] }
          - key: b
            quota_mode: true
            rate_limit: { unit: day, requests_per_unit: 1 }
        """);
    assertThat(imported.errors()).isEmpty();
    assertThat(imported.notes())
        .extracting(note -> note.replaceFirst(" .*", ""))
        .containsExactlyInAnyOrder("shop.yaml:4:", "shop.yaml:5:", "shop.yaml:3:");
    assertThat(imported.section()).contains("mode: quota");
    assertThat(imported.section()).contains("  shop.eu:\n    tenant: shop-eu\n");
    assertThat(PolicyDocuments.parse("policy", "buckets: []\n" + imported.section())
            .warnings())
        .isEmpty();
  }

  @Test
  void textsArriveAsTheyAre() {
    ImportedFiles imported = imported(
        "{\"domain\": \"shop\", \"descriptors\": [{\"key\": \"a\\\"\\\\: ü\", \"value\": 7,"
            + " \"rate_limit\": {\"unit\": \"day\", \"requests_per_unit\": 1}}]}");
    assertThat(rule(imported, "a\"\\: ü=7")).isPresent();
  }

  private static ImportedFiles imported(String text) {
    ImportedFiles imported = new ImportedFiles();
    imported.add("shop.yaml", PolicyDocuments.document("shop.yaml", text));
    return imported;
  }

  private static Optional<EnvoyRule> rule(ImportedFiles imported, String descriptor) {
    List<Entry> entries = new ArrayList<>();
    for (String entry : descriptor.split(",", -1)) {
      int at = entry.indexOf('=');
      entries.add(new Entry(entry.substring(0, at), entry.substring(at + 1)));
    }
    return EnvoyDomains.of(PolicyDocuments.parse("policy", "buckets: []\n" + imported.section())
            .policy())
        .find("shop")
        .orElseThrow()
        .rule(entries);
  }
}
