package io.weir.keys.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.core.policy.SecretHash;
import io.weir.keys.command.KeyFiles.Format;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of keys, and what is made of them. */
final class KeyFilesTest {
  @TempDir
  private Path folder;

  private List<KeyRow> read(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, text);
    Format format = KeyFiles.formatOf(file);
    List<KeyRow> rows = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      new KeyFiles(Optional.of("acme"), Optional.empty()).read(file, format, in, rows::add);
    }
    return rows;
  }

  private static JsonObject secret(String text, boolean isWhole) {
    JsonObject secret = new JsonObject().put("hash", SecretHash.of(text).formatted());
    return isWhole ? secret.put("whole", true) : secret;
  }

  @Test
  void csvHasNamedColumnsAndKeysInClearAreHashed() throws IOException {
    List<KeyRow> rows = read("keys.csv", """
        id,tenant,plan,key,labels,note
        k1,globex,gold,k1.secret,team=x;tier=2,"a note, quoted"
        k2,,,an-old-key,,
        """);
    assertThat(rows).hasSize(2);
    assertThat(rows.get(0).json())
        .isEqualTo(new JsonObject()
            .put("id", "k1")
            .put("tenant", "globex")
            .put("plan", "gold")
            .put("labels", new JsonObject().put("team", "x").put("tier", "2"))
            .put("note", "a note, quoted")
            .put("secrets", new JsonArray().add(secret("secret", false))));
    assertThat(rows.get(1).json())
        .isEqualTo(new JsonObject()
            .put("id", "k2")
            .put("tenant", "acme")
            .put("secrets", new JsonArray().add(secret("an-old-key", true))));
    assertThat(rows.toString()).doesNotContain("an-old-key").doesNotContain("k1.secret");
  }

  @Test
  void jsonLinesHaveTheFieldsOfTheAdminPort() throws IOException {
    List<KeyRow> rows = read("keys.jsonl", """
        {"id": "k1", "tenant": "globex", "state": "frozen"}

        {"id": "k2", "key": "k2.secret"}
        """);
    assertThat(rows).extracting(KeyRow::line).containsExactly(1L, 3L);
    assertThat(rows.get(1).json().getJsonArray("secrets"))
        .isEqualTo(new JsonArray().add(secret("secret", false)));
    List<KeyRow> bad = read("bad.jsonl", "{}\nno json\n{}\n");
    assertThat(bad).extracting(KeyRow::place).containsExactly("line 1", "line 2", "line 3");
    assertThat(bad.get(1).problems()).containsExactly("no JSON object");
  }

  @Test
  void aConsumerOfKongIsAKeyWithAllOfItsCredentials() throws IOException {
    List<KeyRow> rows = read("kong.yaml", """
        _format_version: "3.0"
        consumers:
          - username: joe@example.com
            custom_id: "42"
            groups: [{ name: gold }]
            keyauth_credentials:
              - key: first-key-of-joe
              - key: second-key-of-joe
          - username: ann
        """);
    assertThat(rows).hasSize(2);
    JsonObject joe = rows.get(0).json();
    assertThat(joe.getString("id")).matches("joe_example_com-[0-9a-f]{8}");
    assertThat(joe.getString("plan")).isEqualTo("gold");
    assertThat(joe.getJsonArray("secrets"))
        .isEqualTo(new JsonArray()
            .add(secret("first-key-of-joe", true))
            .add(secret("second-key-of-joe", true)));
    assertThat(rows.get(1).json().getString("id")).isEqualTo("ann");
  }

  @Test
  void thePolicysSubjectsBecomeKeysAndItsRulesStay() throws IOException {
    String hash = SecretHash.of("secret").formatted();
    List<KeyRow> mapping = read("policy.yaml", """
        subjects:
          k1: { tenant: globex, plan: gold, secretHash: "%s", overrides: [{ bucket: calls, opsPerSec: 5 }] }
          k2: { tenant: globex, frozen: true }
        """.formatted(hash));
    assertThat(mapping.get(0).json().encode())
        .contains(hash)
        .contains("\"overrides\":[{\"bucket\":\"calls\",\"opsPerSec\":5}]");
    assertThat(mapping.get(1).json().getString("state")).isEqualTo("frozen");
    List<KeyRow> list = read("list.yaml", """
        subjects:
          - { id: k1, tenant: globex }
          - { match: "user:*", tenant: app }
        """);
    assertThat(list).hasSize(1);
  }

  @Test
  void noErrorRepeatsWhatMayBeASecret() {
    List<String> texts = List.of(
        "Ab3dEf6hIj9lMn2pQr5t",
        "{Ab3dEf6hIj9lMn2pQr5t}",
        "- Ab3dEf6hIj9lMn2pQr5t",
        "{\"a\": Ab3dEf6hIj9lMn2pQr5t}");
    for (String name : List.of("keys.yaml", "keys.csv", "keys.jsonl", "keys.conf")) {
      for (String text : texts) {
        String told;
        try {
          told = read(name, text).toString();
        } catch (IllegalArgumentException | IOException e) {
          told = String.valueOf(e.getMessage());
        }
        assertThat(told).doesNotContain("Ab3dEf");
      }
    }
  }

  @Test
  void aDocumentWithoutKeysIsAMistake() {
    assertThatThrownBy(() -> read("other.yaml", "routes: []\n")).hasMessageContaining("no keys");
    assertThatThrownBy(() -> read("kong.yaml", "_format_version: \"3.0\"\nservices: []\n"))
        .hasMessageContaining("no keys");
    assertThatThrownBy(() -> read("empty.csv", "")).hasMessageContaining("nothing is there");
  }

  @Test
  void idsInMessagesAreCut() throws IOException {
    KeyRow row = read("long.jsonl", "{\"id\": \"" + "i".repeat(5000) + "\"}").get(0);
    assertThat(row.place()).hasSizeLessThan(100);
  }

  @Test
  void aMarkOfByteOrderIsNoPartOfADocument() throws IOException {
    assertThat(read("marked.yaml", "\uFEFFsubjects:\n  k1: { tenant: globex }\n"))
        .hasSize(1);
    assertThat(read("marked.jsonl", "\uFEFF{\"id\": \"k1\"}\n"))
        .extracting(KeyRow::place)
        .containsExactly("line 1, k1");
  }

  @Test
  void namesFromElsewhereStayApart() {
    assertThat(KeyRow.id("joe.smith")).isNotEqualTo(KeyRow.id("joe_smith"));
    assertThat(KeyRow.id("joe.smith")).isNotEqualTo(KeyRow.id("joe@smith"));
    assertThat(KeyRow.id("x".repeat(100)).length()).isLessThanOrEqualTo(64);
  }
}
