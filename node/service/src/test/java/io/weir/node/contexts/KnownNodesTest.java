package io.weir.node.contexts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which node commands ask. */
final class KnownNodesTest {
  @TempDir
  private Path folder;

  private final Map<String, String> environment = new HashMap<>();
  private Optional<LocalNode> local = Optional.empty();

  @BeforeEach
  void set() {
    environment.put("WEIR_CONTEXTS", folder.resolve("deep/contexts.json").toString());
  }

  private KnownNodes nodes() {
    return new KnownNodes(environment, () -> local);
  }

  private String node(String... context) {
    return nodes()
        .address(Optional.of(context).filter(it -> it.length > 0).map(it -> it[0]))
        .node();
  }

  @Test
  void theNearestIsAsked() {
    assertThat(node()).isEqualTo("http://127.0.0.1:9080");
    local = Optional.of(new LocalNode("http://127.0.0.1:9081", "local"));
    assertThat(node()).isEqualTo("http://127.0.0.1:9081");
    Contexts contexts = nodes().contexts();
    contexts.put("prod", AdminAddress.of("https://prod"));
    contexts.put("test", new AdminAddress("https://test", Optional.of(Path.of("/token"))));
    assertThat(node()).isEqualTo("http://127.0.0.1:9081");
    contexts.use("prod");
    assertThat(node()).isEqualTo("https://prod");
    environment.put("WEIR_CONTEXT", "test");
    assertThat(nodes().address(Optional.empty()))
        .isEqualTo(new AdminAddress("https://test", Optional.of(Path.of("/token"))));
    environment.put("WEIR_NODE", "http://here");
    assertThat(nodes().address(Optional.empty())).isEqualTo(AdminAddress.of("http://here"));
    assertThat(node("prod")).isEqualTo("https://prod");
  }

  @Test
  void theTokenOfTheLocalClusterIsForItsPortAlone() {
    local = Optional.of(new LocalNode("http://127.0.0.1:9081", "local"));
    AdminAddress own = nodes().address(Optional.empty());
    assertThat(nodes().adminToken(own)).contains("local");
    assertThat(nodes().adminToken(AdminAddress.of("http://127.0.0.1:9082"))).isEmpty();
    assertThat(local.get()).hasToString("http://127.0.0.1:9081");
    environment.put("WEIR_ADMIN_TOKEN", "given");
    assertThat(nodes().adminToken(own)).contains("given");
  }

  @Test
  void aContextThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> node("prd"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no context 'prd'")
        .hasMessageContaining("contexts.json");
  }

  @Test
  void aContextMayBeChangedAndForgotten() {
    Contexts contexts = nodes().contexts();
    contexts.put("prod", AdminAddress.of("https://one"));
    contexts.put("prod", AdminAddress.of("https://two"));
    contexts.use("prod");
    assertThat(contexts.names()).containsExactly("prod");
    assertThat(contexts.find("prod")).contains(AdminAddress.of("https://two"));
    contexts.delete("prod");
    assertThat(contexts.names()).isEmpty();
    assertThat(contexts.current()).isEmpty();
  }

  @Test
  void aFileThatIsNoContextsIsNamed() throws Exception {
    Path file = Files.writeString(folder.resolve("wrong.json"), "[");
    environment.put("WEIR_CONTEXTS", file.toString());
    assertThatThrownBy(this::node)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("wrong.json");
  }
}
